/** Volumes on a cluster whose members have storage of their own. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../testing/database.ts';
import { type ClusterHarness, openCluster, type TestMember } from '../../../testing/incus/cluster.ts';
import { whyNoIncus } from '../../../testing/incus/programs.ts';
import { isLong } from '../../../testing/long-form.ts';
import { refusal } from '../../contract/refusal.ts';
import { Lab } from '../contract/lab.ts';
import { describeVolumes } from '../contract/volumes.ts';
import type { HostCapacity, Ref } from '../port.ts';
import { ensureVolumeAttached } from './attachments.ts';
import { capabilitiesOf } from './capabilities.ts';
import type { Client } from './client.ts';
import type { Site } from './driver-context.ts';
import { askAt, pathAt, type RawVolume, volumesPath } from './raw-volume.ts';
import { findCopies } from './volume-context.ts';

const reason = whyNoIncus();
const PATIENCE = { timeout: 120_000 };
/** For tests that move a volume for each request of a move. */
const LONG = { timeout: 900_000 };

class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

describe.skipIf(reason !== null)(`volumes of a cluster${reason === null ? '' : `: ${reason}`}`, () => {
  const database = useTestDatabase();
  let harness: ClusterHarness;
  let lab: Lab;
  beforeAll(async () => {
    harness = await openCluster(database.db);
    lab = new Lab(harness);
    await lab.engine.readCapacity();
  });
  afterEach(() => lab.clear());
  afterAll(() => harness.close());

  describeVolumes({ capabilities: capabilitiesOf({ instanceType: 'container' }), lab: () => lab });

  const hostOf = async (ref: Ref): Promise<string> => (await lab.seen(ref)).host;
  const member = (name: string): TestMember => {
    const found = harness.cluster.members.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no member ${name}.`);
    return found;
  };
  /** All copies of the volume at the engine, as `name at member`. */
  const copiesOf = async (volume: Ref): Promise<string[]> =>
    (await findCopies(harness.engine.site, volume)).map(({ name, location }) => `${name} at ${location}`);
  const memberOf = async (volume: Ref): Promise<string | undefined> => {
    const [only, ...others] = await findCopies(harness.engine.site, volume);
    expect(others).toEqual([]);
    return only?.location;
  };
  const write = async (volume: Ref, machine: Ref, text: string): Promise<void> => {
    const seen = await lab.engine.observeVolume(volume);
    if (seen === null) throw new Error('The volume is gone.');
    await harness.writeVolume(machine, seen, text);
  };
  const read = async (volume: Ref, machine: Ref): Promise<string | null> => {
    const seen = await lab.engine.observeVolume(volume);
    return seen === null ? null : harness.readVolume(machine, seen);
  };
  const attach = (volume: Ref, { id: instance }: Ref, mayMove = true): Promise<void> =>
    lab.engine.ensureVolumeAttached(volume, { instance, mayMove });
  const detach = (volume: Ref, { id: instance }: Ref): Promise<void> =>
    lab.engine.ensureVolumeDetached(volume, { instance, force: true });
  /** Running machines on two different members, and a volume with a text and a snapshot on the first of them. */
  const scene = async (): Promise<{ volume: Ref; here: Ref; there: Ref }> => {
    const [here, there] = [lab.ref(), lab.ref()];
    const placement = lab.group({ others: [here.id, there.id] });
    for (const ref of [here, there]) {
      await lab.engine.ensureInstance(ref, lab.spec({ placement }));
      await lab.engine.ensureRunning(ref);
    }
    const volume = await lab.volume({ near: here.id });
    await attach(volume, here);
    await write(volume, here, 'first');
    await lab.engine.ensureVolumeSnapshot(volume, 'vsnap_1');
    await write(volume, here, 'second');
    await detach(volume, here);
    return { volume, here, there };
  };
  const freeDisk = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await lab.engine.readCapacity()).map(({ host, free }: HostCapacity) => [host, free.diskGb]),
    );

  it('are stored on the member of their machine, and move when they are attached on another member', async () => {
    const { volume, here, there } = await scene();
    expect(await memberOf(volume)).toBe(await hostOf(here));
    const before = await freeDisk();
    const { snapshots } = (await lab.engine.observeVolume(volume)) ?? {};
    await attach(volume, there);
    expect(await memberOf(volume)).toBe(await hostOf(there));
    expect(await read(volume, there)).toBe('second');
    expect(await lab.engine.observeVolume(volume)).toMatchObject({
      instance: there.id,
      sizeGb: 1,
      snapshots,
    });
    const [from, to] = [await hostOf(here), await hostOf(there)];
    const after = { [from]: (before[from] ?? 0) + 1, [to]: (before[to] ?? 0) - 1 };
    expect(await freeDisk()).toEqual({ ...before, ...after });

    await lab.engine.ensureStopped(there);
    await lab.engine.ensureVolumeRestored(volume, { once: lab.token(), snapshot: 'vsnap_1' });
    await lab.engine.ensureRunning(there);
    expect(await read(volume, there)).toBe('first');
    await lab.engine.ensureVolumeSize(volume, 2);
    await lab.engine.ensureVolumeSnapshot(volume, 'vsnap_2');
    const source = { volume: volume.id, snapshot: 'vsnap_1' };
    const copy = await lab.volume({ source, near: here.id });
    expect(await memberOf(copy)).toBe(from);
    await attach(copy, here);
    expect(await read(copy, here)).toBe('first');
    await detach(volume, there);
    await attach(volume, here);
    expect(await read(volume, here)).toBe('first');
    expect((await lab.engine.observeVolume(volume))?.snapshots).toMatchObject([
      { id: 'vsnap_1', diskGb: 1 },
      { id: 'vsnap_2', diskGb: 2 },
    ]);
  });

  it('are refused on another member if the call does not allow a move', async () => {
    const { volume, here, there } = await scene();
    const before = await copiesOf(volume);
    await expect(attach(volume, there, false)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await copiesOf(volume)).toEqual(before);
    await attach(volume, here, false);
    expect(await read(volume, here)).toBe('second');
  });

  it('make a new machine that uses them start on their member', async () => {
    const { volume, there } = await scene();
    const host = await hostOf(there);
    await attach(volume, there);
    await detach(volume, there);
    for (let i = 0; i < 3; i++) expect(await hostOf(await lab.stopped({ volumes: [volume.id] }))).toBe(host);
  });

  it('keep their size limit on another member', async () => {
    const { volume, there } = await scene();
    await attach(volume, there);
    const { path } = (await lab.engine.observeVolume(volume)) ?? {};
    const fill = `fallocate -l 1500000000 ${path}/large && echo fits > /said || echo full > /said`;
    await harness.execInside(there, ['sh', '-c', fill]);
    expect(await harness.readInside(there, '/said')).toBe('full\n');
  });

  it('keep their machine from being placed on another member while they are attached', async () => {
    const { volume, here, there } = await scene();
    await attach(volume, here);
    await lab.engine.ensureStopped(here);
    const host = await hostOf(here);
    const together = lab.group({ policy: 'compact', others: [there.id] });
    expect(await refusal(lab.engine.ensurePlacement(here, together))).toBe('placement_unsatisfiable');
    expect(await hostOf(here)).toBe(host);
    await detach(volume, here);
    await lab.engine.ensurePlacement(here, together);
    expect(await hostOf(here)).toBe(await hostOf(there));
    await attach(volume, here);
    await lab.engine.ensureRunning(here);
    expect(await read(volume, here)).toBe('second');
  });

  it('stay on their member when the provider moves their machine, until they are attached again', async () => {
    const { volume, here, there } = await scene();
    await attach(volume, here);
    await lab.engine.ensureStopped(here);
    const { client } = harness.daemon;
    const body = { name: here.id.replace('_', '-'), migration: true };
    const target = await hostOf(there);
    await client.run('POST', `/1.0/instances/${body.name}`, { ...askAt(here, body), target, body });
    expect((await lab.engine.observeVolume(volume))?.instance).toBeNull();
    expect(await refusal(attach(volume, here))).toBe('invalid_state');
    await detach(volume, here);
    await attach(volume, here);
    await lab.engine.ensureRunning(here);
    expect(await read(volume, here)).toBe('second');
  });

  /** The site of another worker. `meet` is called before and after each request that changes something. */
  const workerWith = async (
    meet: (count: number, when: 'before' | 'after') => Promise<void>,
  ): Promise<Site> => {
    const { site } = await harness.reopen();
    const { client } = site;
    let count = 0;
    const watched: Pick<Client, 'ask' | 'askWithMark' | 'run' | 'wait'> = {
      askWithMark: (path, ask) => client.askWithMark(path, ask),
      wait: (id, signal) => client.wait(id, signal),
      async ask(method, path, ask) {
        if (method === 'GET') return client.ask(method, path, ask);
        const now = ++count;
        await meet(now, 'before');
        const answer = await client.ask<never>(method, path, ask);
        await meet(now, 'after');
        return answer;
      },
      async run(method, path, ask) {
        const now = ++count;
        await meet(now, 'before');
        const begun = await client.ask<{ readonly id?: string } | null>(method, path, ask);
        await meet(now, 'after');
        return begun?.id === undefined ? null : client.wait(begun.id);
      },
    };
    return { ...site, client: watched as Client };
  };

  /** The engine made as many volumes as it should have, and the ledger has as much room as before. */
  const expectOneTruth = async (volume: Ref, machine: Ref, text: string): Promise<void> => {
    await attach(volume, machine);
    expect(await memberOf(volume)).toBe(await hostOf(machine));
    expect(await read(volume, machine)).toBe(text);
    const seen = await lab.engine.observeVolume(volume);
    expect(seen).toMatchObject({ instance: machine.id, snapshots: [{ id: 'vsnap_1' }] });
    expect((await lab.engine.observeVolumes()).filter(({ id }) => id === volume.id)).toEqual([seen]);
    const entries = await database.db.selectFrom('incus_machines').select('machine_id').execute();
    expect(entries.filter(({ machine_id }) => machine_id.startsWith(volume.id))).toHaveLength(1);
  };

  it('exist once and complete after a worker was killed at any request of a move', LONG, async () => {
    const { volume, here, there } = await scene();
    let [from, to] = [here, there];
    for (let last = 1, isOver = false; !isOver; last++)
      for (const moment of ['before', 'after'] as const) {
        isOver = true;
        const site = await workerWith(async (count, when) => {
          if (count !== last || when !== moment) return;
          isOver = false;
          throw new Error('killed');
        });
        await ensureVolumeAttached(site, volume, { instance: to.id, mayMove: true }).catch((error: Error) => {
          if (error.message !== 'killed') throw error;
        });
        const observed = await lab.engine.observeVolume(volume);
        expect(observed, `${last} ${moment}`).toMatchObject({ sizeGb: 1, snapshots: [{ id: 'vsnap_1' }] });
        await expectOneTruth(volume, to, 'second');
        await detach(volume, to);
        [from, to] = [to, from];
      }
  });

  it.runIf(isLong)('are not damaged by a worker that was paused at any request of a move', LONG, async () => {
    const { volume, here, there } = await scene();
    for (let last = 1, isOver = false; !isOver; last++) {
      isOver = true;
      const asleep = new Gate();
      const woken = new Gate();
      const site = await workerWith(async (count, when) => {
        if (count !== last || when !== 'before') return;
        isOver = false;
        asleep.open();
        await woken.opened;
      });
      const slow = ensureVolumeAttached(site, volume, { instance: there.id, mayMove: true }).then(
        () => asleep.open(),
        () => asleep.open(),
      );
      await asleep.opened;
      await attach(volume, there);
      await write(volume, there, `newer ${last}`);
      await detach(volume, there);
      await attach(volume, here);
      woken.open();
      await slow;
      await expectOneTruth(volume, here, `newer ${last}`);
      await detach(volume, here);
    }
  });

  it.runIf(isLong).each(['source', 'destination'] as const)(
    'survive the loss of the %s of a move',
    async (side) => {
      const { volume, here, there } = await scene();
      await attach(volume, here);
      const { path } = (await lab.engine.observeVolume(volume)) ?? {};
      const command = `dd if=/dev/urandom of=${path}/large bs=1M count=200 && md5sum ${path}/large > /sum`;
      await harness.execInside(here, ['sh', '-c', command]);
      const sum = await harness.readInside(here, '/sum');
      await detach(volume, here);
      const lost = member(await hostOf(side === 'source' ? here : there));
      const moving = attach(volume, there).then(
        () => 'done',
        () => 'failed',
      );
      await expect.poll(() => copiesOf(volume), { interval: 20, ...PATIENCE }).toHaveLength(2);
      await lost.kill();
      expect(await moving).toBe('failed');
      await lost.start();
      const again = () => attach(volume, there).then(() => 'done', String);
      await expect.poll(again, PATIENCE).toBe('done');
      await expectOneTruth(volume, there, 'second');
      await harness.execInside(there, ['sh', '-c', `md5sum ${path}/large > /sum`]);
      expect(await harness.readInside(there, '/sum')).toBe(sum);
    },
  );

  it('are listed while their member is offline', async () => {
    const { volume, here } = await scene();
    const lost = member(await hostOf(here));
    const before = (await lab.engine.observeVolumes()).filter(({ id }) => id === volume.id);
    expect(before).toMatchObject([{ snapshots: [{ id: 'vsnap_1' }] }]);
    await lost.kill();
    const listed = async () =>
      (await lab.engine.observeVolumes().catch(() => [])).filter(({ id }) => id === volume.id);
    await expect.poll(listed, PATIENCE).toEqual(before);
    await lost.start();
    await expect.poll(() => lab.engine.observeVolume(volume).catch(() => null), PATIENCE).toEqual(before[0]);
  });

  it('are created again if an interrupted creation left only a part', async () => {
    const volume = lab.ref('vol');
    await lab.engine.ensureVolume(volume, lab.volumeSpec());
    const [made] = (await findCopies(harness.engine.site, volume)) as [RawVolume];
    const path = pathAt(harness.engine.site, made);
    const { 'user.hostplane.volume': _, ...unmarked } = made.config;
    const { client } = harness.daemon;
    await client.run('PUT', path, { ...askAt(volume, made), body: { config: unmarked, description: '' } });
    expect(await lab.engine.observeVolume(volume)).toBeNull();
    await lab.engine.ensureVolume(volume, lab.volumeSpec());
    expect(await memberOf(volume)).toBeDefined();
    expect(await lab.engine.observeVolume(volume)).not.toBeNull();
    await lab.engine.removeVolume(volume);
    const query = { recursion: 1 };
    const left = await client.ask<RawVolume[]>('GET', volumesPath(harness.engine.site), {
      ...askAt(volume, { name: '' }),
      query,
    });
    expect(left).toEqual([]);
  });
});
