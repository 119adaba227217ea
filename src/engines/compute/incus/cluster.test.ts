import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useTestDatabase } from '../../../testing/database.ts';
import { type ClusterHarness, openCluster, type TestMember } from '../../../testing/incus/cluster.ts';
import { PUBLIC_NETWORK } from '../../../testing/incus/furnish.ts';
import { ip } from '../../../testing/incus/namespace.ts';
import { whyNoIncus } from '../../../testing/incus/programs.ts';
import { Lab } from '../contract/lab.ts';
import { describePlaces } from '../contract/places.ts';
import { CapabilityMissing, type Ref } from '../port.ts';
import { capabilitiesOf, NO_NETWORKS } from './capabilities.ts';
import { pathOf, type RawInstance } from './driver-context.ts';
import type { Sample } from './metrics-text.ts';
import { projectOf } from './names.ts';
import { takeSamples } from './series.ts';

const reason = whyNoIncus();

describe.skipIf(reason !== null)(`a cluster of Incus${reason === null ? '' : `: ${reason}`}`, () => {
  const database = useTestDatabase();
  let harness: ClusterHarness;
  let lab: Lab;
  beforeAll(async () => {
    harness = await openCluster(database.db);
    lab = new Lab(harness);
  });
  afterEach(() => lab.clear());
  afterAll(() => harness.close());

  const member = (name: string): TestMember => {
    const found = harness.cluster.members.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no member ${name}.`);
    return found;
  };
  const names = () => harness.cluster.members.map(({ name }) => name);
  /** The cluster member that runs the machine, as the engine reports it. */
  const locationOf = async (ref: Ref): Promise<string> =>
    (await harness.engine.site.client.ask<RawInstance>('GET', pathOf(ref), { project: projectOf(ref) }))
      .location;
  /** The ids of all machines that a sampling run measures. */
  const measured = async (): Promise<string[]> => {
    const found: Sample[] = [];
    const add = async (samples: readonly Sample[]) => void found.push(...samples);
    await takeSamples(harness.engine.site, {
      add,
      read: async () => [],
      sumTraffic: async () => [],
      removeBefore: async () => undefined,
    });
    return found.map(({ id }) => id);
  };
  /** Creates one machine on each member. */
  const spread = async (): Promise<readonly Ref[]> => {
    const refs = names().map(() => lab.ref());
    const placement = lab.group({ others: refs.map(({ id }) => id) });
    await Promise.all(refs.map((ref) => lab.engine.ensureInstance(ref, lab.spec({ placement }))));
    return refs;
  };

  describePlaces({ capabilities: capabilitiesOf({ instanceType: 'container' }), lab: () => lab });

  it('reports the capacity of each member, and places machines on all of them', async () => {
    expect((await lab.engine.readCapacity()).map(({ host }) => host).sort()).toEqual(names());
    const refs = await spread();
    expect((await Promise.all(refs.map(locationOf))).sort()).toEqual(names());
    const near = lab.group({ policy: 'compact', others: refs.slice(0, 1).map(({ id }) => id) });
    const mate = await lab.stopped({ placement: near });
    expect(await locationOf(mate)).toBe(await locationOf(refs[0] as Ref));
  });

  it('moves a machine with its disk', async () => {
    const first = await lab.stopped();
    const placement = lab.group({ policy: 'compact', others: [first.id] });
    const moved = await lab.running({ placement });
    await harness.writeInside(moved, '/root/kept', 'still here');
    await lab.engine.ensureStopped(moved);
    const before = await locationOf(moved);
    await lab.engine.ensurePlacement(moved, lab.group({ others: [first.id] }));
    expect(await locationOf(moved)).not.toBe(before);
    await lab.engine.ensureRunning(moved);
    expect(await harness.readInside(moved, '/root/kept')).toBe('still here');
  });

  it('starts a machine although old routes to its addresses exist on its member', async () => {
    for (const [index, ref] of (await spread()).entries()) {
      const prefix = `2001:db8:77:${index}::/64`;
      await lab.engine.ensureNic(ref, lab.nic({ aliases: [prefix] }));
      const { namespace } = member(await locationOf(ref));
      const route = (...args: readonly string[]) => ip('-n', namespace.name, '-6', 'route', ...args);
      await route('add', prefix, 'dev', PUBLIC_NETWORK);
      await lab.engine.ensureRunning(ref);
      expect(await route('show', prefix)).toContain(PUBLIC_NETWORK);
      await lab.engine.ensureStopped(ref);
      expect(await route('show', prefix)).toBe('');
    }
  });

  it('has no private networks, and names the missing capability', async () => {
    await expect(lab.engine.ensureNetwork(lab.ref('net'), lab.networkSpec())).rejects.toThrow(
      CapabilityMissing,
    );
    expect(lab.engine.capabilities.privateNetworks).toBe(NO_NETWORKS);
  });

  it('works without a member that is offline, and uses the member again when it is back', async () => {
    const refs = await spread();
    for (const ref of refs) await lab.engine.ensureRunning(ref);
    expect((await measured()).sort()).toEqual(refs.map(({ id }) => id).sort());
    const heard = new Set<string>();
    onTestFinished(lab.engine.watch(({ id }) => heard.add(id)));
    const leader = await harness.cluster.leader();
    // The member that the driver sends its requests to.
    const lost = harness.cluster.members.at(-1) as TestMember;
    expect(leader).not.toBe(lost);
    const hosts = new Map(await Promise.all(refs.map(async (ref) => [await locationOf(ref), ref] as const)));
    const there = hosts.get(lost.name) as Ref;
    const elsewhere = hosts.get(leader.name) as Ref;
    await lost.kill();
    onTestFinished(() => lost.start().catch(() => undefined));

    await expect
      .poll(() => lab.engine.observeInstance(there).catch(() => null), { timeout: 120_000 })
      .toMatchObject({ state: 'broken', problem: 'host_lost', host: lost.name, size: harness.size });
    expect((await lab.seen(elsewhere)).state).toBe('running');
    const listed = new Map((await lab.engine.observeInstances()).map((each) => [each.id, each]));
    expect(refs.map(({ id }) => listed.get(id)?.problem).filter((problem) => problem !== null)).toEqual([
      'host_lost',
    ]);
    await expect
      .poll(async () => (await lab.engine.readCapacity()).map(({ host }) => host))
      .not.toContain(lost.name);
    expect(await measured()).toHaveLength(refs.length - 1);
    const late = await Promise.all([lab.stopped(), lab.stopped(), lab.stopped()]);
    expect(await Promise.all(late.map(locationOf))).not.toContain(lost.name);
    await member(leader.name).client.run('PUT', `${pathOf(elsewhere)}/state`, {
      project: projectOf(elsewhere),
      body: { action: 'stop', force: true },
    });
    await expect.poll(() => heard.has(elsewhere.id)).toBe(true);

    await lost.start();
    await expect
      .poll(() => lab.engine.observeInstance(there).catch(() => null), { timeout: 120_000 })
      .toMatchObject({
        state: 'running',
        problem: null,
      });
  });
});
