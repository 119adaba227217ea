/** Real WireGuard clients connect through gateways on a real engine, with the configurations that the API gave them. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOf } from '../../../engines/compute/incus/names.ts';
import { VPN_IMAGE } from '../../../testing/incus/furnish.ts';
import {
  ip,
  makeNamespace,
  type Namespace,
  removeNamespace,
  runIn,
} from '../../../testing/incus/namespace.ts';
import { ovnChoices, startOvnDaemon } from '../../../testing/incus/ovn-harness.ts';
import { PATIENCE, Place } from '../../../testing/incus/place.ts';
import { whyNoOvn, whyNoVpn } from '../../../testing/incus/programs.ts';
import { furnishForDemo } from '../../../testing/incus/provider.ts';
import type { VpnPeer } from '../vpn-peers/schema.ts';
import type { VpnGateway } from './schema.ts';

const PRIVATE = '10.20.0.20';
const vpn_image = VPN_IMAGE;

async function openOvn(): Promise<Place> {
  const { daemon, fabric } = await startOvnDaemon((started) => furnishForDemo(started, { vpn: true }));
  return Place.on(daemon, { ...ovnChoices(fabric), vpn_image });
}

const whyNot = { bridges: whyNoVpn(), OVN: whyNoVpn() ?? whyNoOvn() };
tryOn('bridges', () => Place.open({ vpn: true }, { vpn_image }));
tryOn('OVN', openOvn);

function tryOn(networks: keyof typeof whyNot, open: () => Promise<Place>): void {
  const reason = whyNot[networks];
  const name = `tunnels into networks on ${networks}${reason === null ? '' : `: ${reason}`}`;
  describe.skipIf(reason !== null)(name, () => describeTunnels(open));
}

function describeTunnels(open: () => Promise<Place>): void {
  let place: Place;
  let folder: string;
  let serial = 0;
  const clients: Namespace[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostplane-vpn-'));
    place = await open();
  });
  afterAll(async () => {
    for (const client of clients) removeNamespace(client);
    await place?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (...args: Parameters<Place['vps']['send']>) => place.vps.send(...args);

  async function made<T extends { id: string }>(path: string, body: object): Promise<T> {
    const answer = await send('POST', path, body);
    expect(answer.statusCode, answer.body).toBe(202);
    const { id, operation } = answer.json<{ id: string; operation: { id: string } }>();
    expect(await place.endOf(operation.id)).toMatchObject({ status: 'succeeded', error: null });
    return (await send('GET', `${path}/${id}`)).json<T>();
  }

  /** A computer elsewhere: its namespace has a cable to that of the engine, and no other way to the machines. */
  async function computer(): Promise<Namespace> {
    const client = await makeNamespace();
    clients.push(client);
    const n = ++serial;
    const [near, far] = [`vpnc${process.pid % 10000}${n}`, `vpns${process.pid % 10000}${n}`];
    const { namespace: engine } = place.daemon;
    await ip(
      'link',
      'add',
      near,
      'netns',
      client.name,
      'type',
      'veth',
      'peer',
      'name',
      far,
      'netns',
      engine.name,
    );
    await ip('-n', client.name, 'addr', 'add', `198.51.100.${n * 4 + 2}/30`, 'dev', near);
    await ip('-n', client.name, 'link', 'set', near, 'up');
    await ip('-n', engine.name, 'addr', 'add', `198.51.100.${n * 4 + 1}/30`, 'dev', far);
    await ip('-n', engine.name, 'link', 'set', far, 'up');
    await ip('-n', client.name, 'route', 'add', '203.0.113.0/24', 'via', `198.51.100.${n * 4 + 1}`);
    return client;
  }

  /** Does what `wg-quick up` does with the text of a configuration. */
  async function connect(client: Namespace, text: string): Promise<void> {
    const device = `wgt${process.pid % 10000}${serial}`;
    const listIn = (name: string): string[] =>
      (new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] ?? '').split(', ').filter((each) => each !== '');
    const file = join(folder, `${device}.conf`);
    const plain = text.split('\n').filter((line) => !/^(Address|DNS|MTU)/.test(line));
    await writeFile(file, plain.join('\n'), { mode: 0o600 });
    const program = spawn('nsenter', [`--net=${client.path}`, 'wireguard-go', '-f', device], {
      stdio: 'ignore',
    });
    program.unref();
    const set = () =>
      runIn(client, 'wg', ['setconf', device, file]).then(
        () => true,
        () => false,
      );
    await expect.poll(set, PATIENCE).toBe(true);
    for (const address of listIn('Address'))
      await ip('-n', client.name, 'addr', 'add', address, 'dev', device);
    await ip('-n', client.name, 'link', 'set', device, 'mtu', listIn('MTU')[0] ?? '1380', 'up');
    for (const range of listIn('AllowedIPs'))
      await ip('-n', client.name, 'route', 'add', range, 'dev', device);
  }

  const reaches = (client: Namespace, address: string): Promise<boolean> =>
    runIn(client, 'busybox', ['ping', '-c1', '-W2', address]).then(
      () => true,
      () => false,
    );
  const pathOf = ({ gateway_id, id }: VpnPeer) => `vpn-gateways/${gateway_id}/peers/${id}`;

  async function peer(gateway: VpnGateway): Promise<{ row: VpnPeer; text: string }> {
    const answer = await send('POST', `vpn-gateways/${gateway.id}/peers`, { name: `p-${++serial}` });
    expect(answer.statusCode, answer.body).toBe(201);
    const row = answer.json<VpnPeer>();
    expect(row.applied_at).not.toBeNull();
    return { row, text: (await send('GET', `${pathOf(row)}/config`, undefined, { accept: '*/*' })).body };
  }

  const privateNetwork = (name: string, ipv4_cidr: string) =>
    made<{ id: string }>('networks', { name, location: 'fra1', ipv4_cidr, ipv6: false });

  /** How many interfaces the gateway has at the engine. */
  async function interfacesOf({ id }: VpnGateway): Promise<number> {
    const project = nameOf(place.vps.account.id);
    const path = `/1.0/instances/${nameOf(id)}`;
    const { devices } = await place.daemon.client.ask<{ devices: Record<string, { type: string }> }>(
      'GET',
      path,
      { project },
    );
    return Object.values(devices).filter(({ type }) => type === 'nic').length;
  }

  it('lead to a private machine with the downloaded configuration, and end with their peer alone', async () => {
    const network = await privateNetwork('backend', '10.20.0.0/24');
    const networks = [{ network_id: network.id, ipv4: PRIVATE }];
    await place.create({ networks, public_ipv4: { mode: 'none' }, public_ipv6: false });
    const gateway = await made<VpnGateway>('vpn-gateways', {
      name: 'office',
      location: 'fra1',
      network_ids: [network.id],
    });
    const [laptop, phone] = [await computer(), await computer()];
    expect(await reaches(laptop, PRIVATE)).toBe(false);
    const one = await peer(gateway);
    await connect(laptop, one.text);
    await expect.poll(() => reaches(laptop, PRIVATE), PATIENCE).toBe(true);

    // The second peer comes, and the first one goes: the tunnel of the other stays up.
    const two = await peer(gateway);
    await connect(phone, two.text);
    await expect.poll(() => reaches(phone, PRIVATE), PATIENCE).toBe(true);
    expect(await reaches(laptop, PRIVATE)).toBe(true);
    const handshake = () => runIn(phone, 'wg', ['show', 'all', 'latest-handshakes']);
    const before = await handshake();
    expect((await send('DELETE', pathOf(one.row))).statusCode).toBe(204);
    expect(await reaches(laptop, PRIVATE)).toBe(false);
    expect(await reaches(phone, PRIVATE)).toBe(true);
    expect(await handshake()).toBe(before);

    // Handshake and traffic are read back by the schedule.
    const read = async () => (await send('GET', pathOf(two.row))).json<VpnPeer>();
    const drift = place.app.registry.schedules.find(({ name }) => name === 'flexible-vps.vpn-gateways');
    await drift?.run(place.app.services);
    expect((await read()).rx_bytes).toBeGreaterThan(0);
    expect((await read()).last_handshake_at).not.toBeNull();

    // A gateway that was restarted without a word is set up again, and the tunnel comes back.
    await place.exec(gateway.id, ['sh', '-c', 'ip link del wg0']);
    await expect.poll(() => reaches(phone, PRIVATE), PATIENCE).toBe(false);
    await drift?.run(place.app.services);
    await expect.poll(() => reaches(phone, PRIVATE), PATIENCE).toBe(true);

    // The engine dies while the gateway joins a second network. The tunnel stays up, and the change is made later.
    const other = await privateNetwork('other', '10.21.0.0/24');
    const network_ids = [network.id, other.id];
    const update = await send('PATCH', `vpn-gateways/${gateway.id}`, { network_ids });
    expect(update.statusCode, update.body).toBe(202);
    await expect.poll(() => interfacesOf(gateway), PATIENCE).toBe(3);
    await place.daemon.kill();
    expect(await reaches(phone, PRIVATE)).toBe(true);
    await place.daemon.start();
    const { operation } = update.json<{ operation: { id: string } }>();
    expect(await place.endOf(operation.id)).toMatchObject({ status: 'succeeded', error: null });
    expect((await send('GET', `vpn-gateways/${gateway.id}`)).json()).toMatchObject({
      status: 'active',
      network_ids,
    });
    expect(await reaches(phone, PRIVATE)).toBe(true);

    const deletion = await place.act('DELETE', `vpn-gateways/${gateway.id}`);
    expect(await place.endOf(deletion)).toMatchObject({ status: 'succeeded' });
    await place.removeAll();
  }, 600_000);
}
