/** Real machines on a real Incus, and the faults of Incus that can occur while they are created. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nameOf } from '../../engines/compute/incus/names.ts';
import { POOL, PUBLIC_NETWORK } from '../../testing/incus/furnish.ts';
import { expectAllWell, type Ordered, PATIENCE, Place } from '../../testing/incus/place.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';
import { LOCATION, SYSTEM } from '../../testing/incus/provider.ts';

const reason = whyNoIncus('incus');
const MANY = 6;
const projectOf = ({ vps }: Place): string => nameOf(vps.account.id);

/** Fills the disk: allocates large files first, then smaller ones, without writing their contents. */
const HOG = `i=0
for size in 1024 256 64 16 4 1; do
  while fallocate -l "\${size}M" "/hog-$i"; do i=$((i + 1)); done
done
dd if=/dev/zero of=/hog bs=64k; sync`;

/** An instance as an operator may create it by hand, outside Hostplane. */
const byHand = {
  name: 'by-hand',
  source: { type: 'image', alias: SYSTEM },
  profiles: [],
  devices: { root: { type: 'disk', path: '/', pool: POOL } },
};

describe.skipIf(reason !== null)(`machines on Incus${reason === null ? '' : `: ${reason}`}`, () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.open();
  });
  afterEach(() => place.removeAll());
  afterAll(() => place?.close());

  const orderMany = (): Promise<Ordered[]> => Promise.all(Array.from({ length: MANY }, () => place.order()));
  const someAreThere = () => expect.poll(() => place.instances(), PATIENCE).not.toEqual([]);
  const statusOf = async (id: string) => {
    const { status, status_reason } = await place.vps.readVm(id);
    return [status, status_reason];
  };
  const behindOurBack = (id: string) => ({ project: projectOf(place), path: `/1.0/instances/${nameOf(id)}` });

  it('run their user data, answer at their addresses, and lose their data when redeployed', async () => {
    const user_data = '#!/bin/sh\necho "written by it" > /var/www/told.html\necho "told on the console"\n';
    const vm = await place.create({ user_data });
    await expect.poll(() => place.page(vm, 'told.html'), PATIENCE).toContain('written by it');
    expect((await place.vps.send('GET', `vms/${vm.id}/console-log`)).body).toContain('told on the console');
    expect(
      await place.endOf(
        await place.act('POST', `vms/${vm.id}/redeploy`, { user_data: null, confirm: vm.name }),
      ),
    ).toMatchObject({
      status: 'succeeded',
    });
    const after = await place.vps.readVm(vm.id);
    expect(after.primary_ipv4).toBe(vm.primary_ipv4);
    await expect.poll(() => place.page(after), PATIENCE).toContain(after.hostname);
    expect(await place.page(after, 'told.html').catch(() => 'not found')).toBe('not found');
  });

  it('that stop, crash or vanish show it within seconds', async () => {
    const [off, cut, gone] = await Promise.all([place.create(), place.create(), place.create()]);
    await place.exec(off.id, ['poweroff']);
    await expect.poll(() => statusOf(off.id), PATIENCE).toEqual(['stopped', null]);
    const { client } = place.daemon;
    const stop = async (id: string) => {
      const { project, path } = behindOurBack(id);
      await client.run('PUT', `${path}/state`, { project, body: { action: 'stop', force: true } });
    };
    await stop(cut.id);
    await expect.poll(async () => (await statusOf(cut.id))[0], PATIENCE).toBe('stopped');
    await stop(gone.id);
    const { project, path } = behindOurBack(gone.id);
    await client.run('DELETE', path, { project });
    await expect.poll(() => statusOf(gone.id), PATIENCE).toEqual(['error', 'lost']);
  });

  it('that nobody owns are reported and left alone', async () => {
    await place.create();
    const project = projectOf(place);
    await place.daemon.client.run('POST', '/1.0/instances', { project, body: byHand });
    const drift = place.app.registry.schedules.find(({ name }) => name === 'flexible-vps.machines');
    const strays = () => place.app.services.db.selectFrom('vm_strays').select('id').execute();
    await drift?.run(place.app.services);
    await expect.poll(strays, PATIENCE).toEqual([{ id: 'by_hand' }]);
    expect(await place.instances()).toContain('by-hand');
    await place.daemon.client.run('DELETE', '/1.0/instances/by-hand', { project });
  });

  it('are reached at an address whose last machine left its DHCP lease behind', async () => {
    const { id: ip_id } = await place.vps.reserveAddress({ location: LOCATION });
    const wanted = { public_ipv4: { mode: 'reserved', ip_id } };
    const first = await place.create(wanted);
    await expect.poll(() => place.page(first), PATIENCE).toContain(first.hostname);
    // The engine gives a lease back with a packet, which is lost if its DHCP server does not run.
    const folder = join(place.daemon.folder, 'networks', PUBLIC_NETWORK);
    const [, pid = ''] = /^pid: (\d+)/m.exec(await readFile(join(folder, 'dnsmasq.pid'), 'utf8')) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    expect((await place.endOf(await place.act('DELETE', `vms/${first.id}`))).status).toBe('succeeded');
    await place.daemon.kill();
    await place.daemon.start();
    expect(await readFile(join(folder, 'dnsmasq.leases'), 'utf8')).toContain(first.primary_ipv4);
    const second = await place.create(wanted);
    expect(second.primary_ipv4).toBe(first.primary_ipv4);
    await expect.poll(() => place.page(second), PATIENCE).toContain(second.hostname);
  });

  it('are all created once although the engine is killed meanwhile', async () => {
    const ordered = await orderMany();
    await someAreThere();
    await place.daemon.kill();
    await place.daemon.start();
    await expectAllWell(place, ordered);
  });

  it('are all created once although the engine is paused for a while', async () => {
    const ordered = await orderMany();
    await someAreThere();
    place.daemon.pause();
    const [first] = ordered;
    expect((await place.vps.readVm(first?.id ?? '')).id).toBe(first?.id);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    place.daemon.resume();
    await expectAllWell(place, ordered);
  });

  it('can be read while the engine is down, and operations on them are done later', async () => {
    const vm = await place.create();
    await place.daemon.kill();
    const read = await statusOf(vm.id);
    const refused = await place.vps.send('GET', `vms/${vm.id}/console-log`);
    // Accepted if the engine told of its room a moment ago, and otherwise to be repeated.
    const another = await place.askForOne();
    const asked = await place.vps.send('POST', `vms/${vm.id}/actions`, { type: 'reset' });
    const { id: restart } = asked.json<{ id: string }>();
    await expect.poll(async () => (await place.vps.operation(restart)).status, PATIENCE).toBe('running');
    await place.daemon.start();
    expect(read).toEqual(['running', null]);
    // The address of the engine is shown only to the operator.
    const detail = 'The engine does not answer.';
    expect(refused.json()).toMatchObject({ status: 503, retryable: true, detail });
    expect(asked.statusCode, asked.body).toBe(202);
    expect(await place.endOf(restart)).toMatchObject({ status: 'succeeded', error: null });
    await expect.poll(() => place.page(vm), PATIENCE).toContain(vm.hostname);
    if (another.statusCode !== 202)
      return expect(another.json()).toMatchObject({
        status: 503,
        code: 'engine_unavailable',
        retryable: true,
      });
    const { id } = another.json<{ operation: { id: string } }>().operation;
    expect(await place.endOf(id)).toMatchObject({ status: 'succeeded', error: null });
  });
});

describe.skipIf(reason !== null)(`an Incus with little room${reason === null ? '' : `: ${reason}`}`, () => {
  let place: Place;
  beforeAll(async () => {
    const bounds = { instances: 2, vcpus: null, memory_mb: null, disk_gb: null };
    place = await Place.open({ poolSize: '3GiB' }, { account_bounds: bounds });
  });
  afterAll(() => place?.close());

  it('refuses a machine beyond the bounds of the account, and nothing of it is left', async () => {
    const two = await Promise.all([place.create(), place.create()]);
    const third = await place.order();
    expect(await place.endOf(third.operation)).toMatchObject({
      status: 'failed',
      error: { code: 'quota_exceeded', detail: expect.stringContaining('maximum') },
    });
    expect(await place.instances()).toHaveLength(two.length);
    await place.removeAll();
  });

  it('says that its disk is full, and works again once there is room', async () => {
    const { client } = place.daemon;
    const body = { ...byHand, name: 'hog', start: true };
    await client.run('POST', '/1.0/instances', { body });
    await place.exec('hog', ['sh', '-c', HOG], 'default');
    const late = await place.order();
    expect(await place.endOf(late.operation)).toMatchObject({
      status: 'failed',
      error: { code: 'capacity_unavailable', detail: expect.stringContaining('storage is full') },
    });
    // Deletes the files first: if the disk is removed together with them, the file system frees their space
    // only after a delay.
    await place.exec('hog', ['sh', '-c', 'rm /hog*; sync'], 'default');
    await client.run('PUT', '/1.0/instances/hog/state', { body: { action: 'stop', force: true } });
    await client.run('DELETE', '/1.0/instances/hog');
    await place.removeAll();
    const used = async () => {
      const pool = `/1.0/storage-pools/${POOL}/resources`;
      return (await client.ask<{ space: { used: number } }>('GET', pool)).space.used;
    };
    await expect.poll(used, PATIENCE).toBeLessThan(2 ** 30);
    await expectAllWell(place, [await place.order()]);
    await place.removeAll();
  });
});
