import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../testing/database.ts';
import { type IncusHarness, openIncus } from '../../../testing/incus/harness.ts';
import { runIn } from '../../../testing/incus/namespace.ts';
import { whyNoIncus } from '../../../testing/incus/programs.ts';
import { Lab } from '../contract/lab.ts';
import type { Ref } from '../instance.ts';
import { metricNames } from '../series.ts';
import { pathOf } from './driver-context.ts';
import { nameOf, projectOf } from './names.ts';

let harness: IncusHarness;
let lab: Lab;

const reason = whyNoIncus('incus');
const SOON = { timeout: 120_000 };

describe.skipIf(reason !== null)(reason === null ? 'an engine' : `an engine: ${reason}`, () => {
  const database = useTestDatabase();
  beforeAll(async () => {
    harness = await openIncus(database.db);
    lab = new Lab(harness);
  });
  afterAll(async () => {
    await lab?.clear();
    await harness?.close();
  });

  const ends: (() => void)[] = [];
  function watched(): Ref[] {
    const nudges: Ref[] = [];
    ends.push(harness.engine.watch((ref) => nudges.push(ref)));
    return nudges;
  }
  afterAll(() => {
    for (const end of ends) end();
  });

  it('returns series that are computed from one sample to the next', async () => {
    const ref = await lab.running({ nics: [lab.nic()] });
    const from = new Date(Date.now() - 60_000);
    await harness.engine.sample();
    await harness.engine.sample();
    const range = { from, to: new Date(Date.now() + 60_000), stepSeconds: 60 };
    const series = await harness.engine.readSeries(ref, metricNames, range);
    const firstOf = (metric: string): number | null | undefined =>
      series.find((each) => each.metric === metric)?.values.find((value) => value !== null);
    expect(firstOf('memory')).toBeGreaterThan(0);
    expect(firstOf('memory')).toBeLessThan(harness.size.memoryMb * 1024 ** 2);
    expect(firstOf('disk_usage')).toBeGreaterThan(0);
    expect(firstOf('cpu')).toBeGreaterThanOrEqual(0);
    expect(firstOf('network')).toBeGreaterThanOrEqual(0);
    const stranger = { account: 'acc_stranger', id: ref.id };
    for (const { values } of await harness.engine.readSeries(stranger, metricNames, range))
      expect(new Set(values)).toEqual(new Set([null]));
  });

  it('that was down reports what happened meanwhile, and keeps reporting afterwards', async () => {
    const { engine, daemon } = harness;
    const nic = lab.nic();
    const isUp = () =>
      runIn(daemon.namespace, 'busybox', ['ping', '-c1', '-W1', nic.ipv4 ?? '']).then(
        () => true,
        () => false,
      );
    const [early, late] = await Promise.all([lab.running({ nics: [nic] }), lab.running()]);
    const nudges = watched();
    const isNudged = (ref: Ref) => () =>
      nudges.some(({ account, id }) => account === ref.account && id === ref.id);
    await engine.ensureStopped(early);
    await expect.poll(isNudged(early), SOON).toBe(true);
    await engine.ensureRunning(early);
    // Without this the daemon would start the machine again, because the machine ran when the daemon was killed.
    const body = { config: { 'boot.autostart': 'false' } };
    await daemon.client.run('PATCH', pathOf(early), { project: projectOf(early), body });
    await expect.poll(isUp, SOON).toBe(true);
    await harness.execInside(early, [
      'sh',
      '-c',
      '(while [ ! -e /run/now ]; do sleep 0.1; done; poweroff) >/dev/null 2>&1 &',
    ]);
    await harness.execInside(early, ['sh', '-c', '(sleep 2; touch /run/now) >/dev/null 2>&1 &']);
    await daemon.kill();
    await expect.poll(isUp, SOON).toBe(false);
    nudges.length = 0;
    await daemon.start();
    await expect.poll(isNudged(early), SOON).toBe(true);
    await expect.poll(async () => (await lab.seen(early)).state, SOON).toBe('stopped');
    nudges.length = 0;
    await harness.shutDownInside(late);
    await expect.poll(isNudged(late), SOON).toBe(true);
  });

  it('reports both names of a machine that was renamed', async () => {
    const ref = await lab.stopped();
    const nudges = watched();
    const isNudged = () => nudges.some(({ account, id }) => account === ref.account && id === ref.id);
    const project = projectOf(ref);
    const rename = (from: string, name: string) =>
      harness.daemon.client.run('POST', from, { project, body: { name } });
    await rename(pathOf(ref), 'renamed');
    await expect.poll(isNudged, SOON).toBe(true);
    nudges.length = 0;
    await rename('/1.0/instances/renamed', nameOf(ref.id));
    await expect.poll(isNudged, SOON).toBe(true);
  });

  it('does not notify a watcher that has stopped watching', async () => {
    const ref = await lab.running();
    const nudges: Ref[] = [];
    const end = harness.engine.watch((each) => nudges.push(each));
    end();
    const others = watched();
    await harness.engine.ensureStopped(ref);
    await expect.poll(() => others.some(({ id }) => id === ref.id), SOON).toBe(true);
    expect(nudges).toEqual([]);
  });
});
