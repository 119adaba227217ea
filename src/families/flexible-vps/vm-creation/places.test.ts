/** Tests fallbacks when the requested location has no capacity or does not answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { computeAt } from '../../../testing/incus/provider.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';

const FULL = 'ams1';
const SILENT = 'hel1';
const ROOMY = 'fra1';

let app: TestApp;
let vps: VpsAccount;

beforeAll(async () => {
  app = await createTestApp({
    provider: ({ catalogue, ...config }) => ({
      ...config,
      catalogue: {
        ...catalogue,
        locations: catalogue.locations.map((location) =>
          location.slug === SILENT
            ? { ...location, compute: computeAt({ url: 'unix:///nobody/is/there.socket' }) }
            : location,
        ),
      },
    }),
  });
  vps = await VpsAccount.open(app);
  // The first machine in a location makes the sandbox insert its hosts.
  await vps.vm({ location: FULL });
  await app.services.db
    .updateTable('sandbox_hosts')
    .set((row) => ({ used_vcpus: row.ref('vcpus') }))
    .where('location', '=', FULL)
    .execute();
});
afterAll(() => app.close());

let serial = 0;
const order = (location: string, fallbacks: readonly object[] = []) =>
  vps.send('POST', 'vms', {
    name: `placed-${++serial}`,
    location,
    plan: 'flex-2-4',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
    fallbacks,
  });

describe('a place that has no room', () => {
  it('is passed over for the first of the fallbacks that has', async () => {
    const answer = await order(FULL, [{ plan: 'flex-1-2' }, { location: SILENT }, { location: ROOMY }]);
    expect(answer.statusCode, answer.body).toBe(202);
    await settle(app);
    expect(await vps.readVm(answer.json<Vm>().id)).toMatchObject({ location: ROOMY, status: 'running' });
  });

  it('is named with those that have, if nothing else was to be tried', async () => {
    const answer = await order(FULL);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { code: 'capacity_unavailable', alternatives: [{ location: ROOMY, plan: 'flex-2-4' }] },
    ]);
    expect(answer.headers['retry-after']).toBe('60');
  });
});

describe('a place that says nothing', () => {
  it('is passed over as well', async () => {
    const answer = await order(SILENT, [{ location: ROOMY }]);
    expect([answer.statusCode, answer.json<Vm>().location]).toEqual([202, ROOMY]);
    await settle(app);
  });

  it('is not said to be full: it may be asked again', async () => {
    const answer = await order(SILENT, [{ location: FULL }]);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      503,
      { code: 'engine_unavailable', detail: expect.stringContaining(SILENT), retryable: true },
    ]);
    expect(answer.headers['retry-after']).toBe('60');
  });
});
