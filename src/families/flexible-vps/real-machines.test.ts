/** Typical customer actions on real machines of an Incus server. Skipped if Incus is not available. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { IMAGE_FILE } from '../../testing/incus/image.ts';
import { PATIENCE, Place } from '../../testing/incus/place.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';
import { LOCATION } from '../../testing/incus/provider.ts';
import { createReceiver, type Receiver, receiverCertificate } from '../../testing/receiver.ts';
import type { Vm } from './vms/schema.ts';

const reason = whyNoIncus('incus');

describe.skipIf(reason !== null)(`a customer on Incus${reason === null ? '' : `: ${reason}`}`, () => {
  let place: Place;
  let receiver: Receiver;
  beforeAll(async () => {
    const egress = { allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate, addresses: [] };
    place = await Place.open({}, {}, (config) => ({ ...config, egress: { ...config.egress, ...egress } }));
    await place.app.app.listen({ port: 0, host: '127.0.0.1' });
    receiver = await createReceiver();
  });
  afterEach(() => place.removeAll());
  afterAll(async () => {
    await receiver?.close();
    await place?.close();
  });

  /** Runs a command in the machine and reads its output from the web server of the machine. */
  async function printed(vm: Vm, command: string): Promise<string> {
    await place.exec(vm.id, ['sh', '-c', `(${command}) > /var/www/printed 2>&1`]);
    return place.page(vm, 'printed');
  }
  const done = async (operation: string): Promise<void> =>
    expect(await place.endOf(operation)).toMatchObject({ status: 'succeeded', error: null });

  it('types at the console of a machine, with a token that works once', async () => {
    const vm = await place.create();
    const session = await place.vps.send('POST', `vms/${vm.id}/console-sessions`, {});
    expect(session.statusCode, session.body).toBe(201);
    const { url, token } = session.json<{ url: string; token: string }>();
    const { port } = place.app.app.server.address() as AddressInfo;
    const dial = () =>
      new WebSocket(`ws://127.0.0.1:${port}${new URL(url).pathname}`, [
        'hostplane.console',
        `hostplane.token.${token}`,
      ]);
    const socket = dial();
    let shown = '';
    socket.on('message', (said: Buffer) => {
      shown += said.toString();
    });
    await once(socket, 'open');
    socket.send('echo typed at $(hostname)\n');
    await expect.poll(() => shown, PATIENCE).toContain(`typed at ${vm.hostname}`);
    const [error] = (await once(dial(), 'error')) as [Error];
    expect(error.message).toContain('404');
    socket.close();
    await once(socket, 'close');
  });

  it('imports an image by its address and makes a machine from it', async () => {
    const file = await readFile(join(place.daemon.folder, IMAGE_FILE));
    receiver.answer((response) => response.end(file));
    const answer = await place.vps.send('POST', 'images', {
      name: 'mine',
      source: { type: 'url', url: receiver.url, architecture: 'amd64' },
    });
    expect(answer.statusCode, answer.body).toBe(202);
    const { id, operation } = answer.json<{ id: string; operation: { id: string } }>();
    await done(operation.id);
    const vm = await place.create({ source: { type: 'image', image_id: id } });
    await expect.poll(() => place.page(vm), PATIENCE).toContain(vm.hostname);
    await done(await place.act('DELETE', `images/${id}`));
  });

  it('gives a machine more memory while it runs, and the guest has it', async () => {
    const vm = await place.create();
    await expect.poll(() => place.page(vm), PATIENCE).toContain(vm.hostname);
    const memory = async () =>
      Number(/MemTotal:\s+(\d+) kB/.exec(await printed(vm, 'cat /proc/meminfo'))?.[1]);
    expect(await memory()).toBe(1024 * 1024);
    await done(await place.act('POST', `vms/${vm.id}/resize`, { plan: 'flex-1-2', mode: 'live' }));
    expect(await memory()).toBe(2048 * 1024);
  });

  it('joins two machines by a private network', async () => {
    const network = await place.vps.send('POST', 'networks', {
      name: 'backend',
      location: LOCATION,
      ipv4_cidr: '10.44.0.0/24',
    });
    const { id, operation } = network.json<{ id: string; operation: { id: string } }>();
    await done(operation.id);
    const networks = [{ network_id: id }];
    const [one, two] = await Promise.all([place.create({ networks }), place.create({ networks })]);
    const [, inside] = await place.vps.interfaces(two.id);
    const address = inside?.ipv4;
    expect(address).toMatch(/^10\.44\.0\./);
    await expect
      .poll(() => printed(one, `ping -c 1 -W 2 ${address}`), PATIENCE)
      .toContain('1 packets received');
    await place.removeAll();
    await done(await place.act('DELETE', `networks/${id}`));
  });

  it('can set a password for a user of the guest, and is refused for an unknown user', async () => {
    const vm = await place.create();
    const reset = (username: string) => place.vps.send('POST', `vms/${vm.id}/password-reset`, { username });
    const answer = await reset('nobody-here');
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/username', code: 'unknown_reference' }] });
    expect((await reset('root')).json()).toMatchObject({ username: 'root' });
  });

  it('gets 409 for features that this engine lacks', async () => {
    const vm = await place.create();
    const rescue = await place.vps.send('POST', `vms/${vm.id}/rescue`, { enabled: true });
    expect(rescue.json()).toMatchObject({ status: 409, code: 'capability_missing', capability: 'rescue' });
    const screen = await place.vps.send('POST', `vms/${vm.id}/console-sessions`, { protocol: 'vnc' });
    expect([409, 422]).toContain(screen.statusCode);
  });
});
