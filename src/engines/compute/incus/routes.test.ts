/** Tests that a machine starts although an engine that died left routes on its host. */
import { expect, it } from 'vitest';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { PUBLIC_NETWORK } from '../../../testing/incus/furnish.ts';
import { ip } from '../../../testing/incus/namespace.ts';
import { refusal } from '../../contract/refusal.ts';
import { EngineUnreachable } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import { pathOf } from './driver-context.ts';
import { DEFAULT, projectOf } from './names.ts';

const PREFIX = '2001:db8:77::/64';
const ALIAS = '198.51.100.16/28';

describeEngines((bench) => {
  const route = (...args: readonly string[]): Promise<string> =>
    ip('-n', bench.harness.daemon.namespace.name, ...args);
  const routes = async (): Promise<readonly string[]> =>
    `${await route('-4', 'route')}\n${await route('-6', 'route')}`
      .split('\n')
      .map((line) => line.split(' ').slice(0, 3).join(' '))
      .filter((line) => [PREFIX, ALIAS].some((prefix) => line.startsWith(prefix)));
  const led = [`${ALIAS} dev ${PUBLIC_NETWORK}`, `${PREFIX} dev ${PUBLIC_NETWORK}`];

  /** The instances and profiles outside the accounts' projects. */
  const helpers = async (): Promise<unknown> => {
    const { client } = bench.harness.daemon;
    const ask = { project: DEFAULT };
    return [await client.ask('GET', '/1.0/instances', ask), await client.ask('GET', '/1.0/profiles', ask)];
  };
  const none = [[], ['/1.0/profiles/default']];

  /** Simulates a guest that crashes while the engine is down. */
  async function stopWithoutEngine(ref: Ref): Promise<void> {
    const { client } = bench.harness.daemon;
    const path = `${pathOf(ref)}/state`;
    const { pid } = await client.ask<{ pid: number }>('GET', path, { project: projectOf(ref) });
    await bench.harness.daemon.kill();
    process.kill(pid, 'SIGKILL');
    await bench.harness.daemon.start();
    const state = async () => (await bench.harness.engine.observeInstance(ref))?.state;
    await expect.poll(state, { timeout: 120_000 }).toBe('stopped');
  }

  it('a machine that stopped while the engine was down starts although its old routes exist', async () => {
    const nic = bench.lab.nic({ aliases: [ALIAS, PREFIX] });
    const ref = await bench.lab.running({ nics: [nic] });
    expect(await routes()).toEqual(led);
    await stopWithoutEngine(ref);
    expect(await routes()).toEqual(led);
    await bench.harness.engine.ensureRunning(ref);
    expect((await bench.harness.engine.observeInstance(ref))?.state).toBe('running');
    expect(await routes()).toEqual(led);
    expect(await helpers()).toEqual(none);
    await bench.harness.engine.ensureStopped(ref);
    expect(await routes()).toEqual([]);
  });

  it('a running machine gets an address although an old route to it exists', async () => {
    const nic = bench.lab.nic({ aliases: [ALIAS] });
    const ref = await bench.lab.running({ nics: [nic] });
    await route('route', 'add', PREFIX, 'dev', PUBLIC_NETWORK);
    await bench.harness.engine.ensureNic(ref, { ...nic, aliases: [ALIAS, PREFIX] });
    expect(await routes()).toEqual(led);
    expect(await helpers()).toEqual(none);
    await bench.harness.engine.ensureStopped(ref);
    expect(await routes()).toEqual([]);
  });

  /**
   * Starts a machine that needs a helper to start. Returns as soon as the helper exists; `attempt` is the result of
   * the start.
   */
  async function startHelped(signal?: AbortSignal): Promise<{ ref: Ref; attempt: Promise<unknown> }> {
    const ref = await bench.lab.stopped({ nics: [bench.lab.nic({ aliases: [PREFIX] })] });
    await route('route', 'add', PREFIX, 'dev', PUBLIC_NETWORK);
    const attempt = bench.harness.engine.ensureRunning(ref, signal).catch((error: unknown) => error);
    const instances = () => bench.harness.daemon.client.ask('GET', '/1.0/instances', { project: DEFAULT });
    await expect.poll(instances, { interval: 10 }).toHaveLength(1);
    return { ref, attempt };
  }

  it('an aborted start removes the helper that held the route', async () => {
    const giving = new AbortController();
    const { attempt } = await startHelped(giving.signal);
    giving.abort(new Error('enough'));
    expect(await attempt).toMatchObject({ message: 'enough' });
    expect(await helpers()).toEqual(none);
    await bench.lab.clear();
    await route('route', 'del', PREFIX, 'dev', PUBLIC_NETWORK).catch(() => undefined);
  });

  it('removing a machine removes the helper that an interrupted start left', async () => {
    const { ref, attempt } = await startHelped();
    await bench.harness.daemon.kill();
    expect(await attempt).toBeInstanceOf(EngineUnreachable);
    await bench.harness.daemon.start();
    await bench.harness.engine.removeInstance(ref);
    expect(await helpers()).toEqual(none);
    await route('route', 'del', PREFIX, 'dev', PUBLIC_NETWORK).catch(() => undefined);
  });

  it('a route that somebody else made is reported and not removed', async () => {
    const nic = bench.lab.nic({ aliases: [PREFIX] });
    const ref = await bench.lab.stopped({ nics: [nic] });
    await route('route', 'add', PREFIX, 'dev', 'lo');
    const elsewhere = [`${PREFIX} dev lo`];
    expect(await refusal(bench.harness.engine.ensureRunning(ref))).toBe('engine_failed');
    expect(await routes()).toEqual(elsewhere);
    expect(await helpers()).toEqual(none);
    await route('route', 'del', PREFIX, 'dev', 'lo');
    await bench.harness.engine.ensureRunning(ref);
    expect(await routes()).toEqual([`${PREFIX} dev ${PUBLIC_NETWORK}`]);
  });
});
