import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ComputeEngine, Traffic } from '../../../engines/compute/port.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { countTraffic, machineTraffic, periodStart } from './count.ts';

const GB = 2 ** 30;
const MINUTE = 60_000;

let t: TestApp;
let customer: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  t = await createTestApp();
  customer = await VpsAccount.open(t);
});
beforeEach(async () => {
  vm = await customer.vm();
  await t.services.db.deleteFrom('vm_traffic_counted').execute();
});
afterAll(() => t.close());

const shown = async () => (await customer.readVm(vm.id)).traffic;

/** Reports the same traffic whenever it is asked, and remembers for which times. */
function engineWith(outGb: number) {
  const asked: [from: string, to: string][] = [];
  const engine = {
    location: 'fra1',
    capabilities: { series: true },
    async readTraffic(from: Date, to: Date): Promise<Traffic[]> {
      asked.push([from.toISOString(), to.toISOString()]);
      return [{ account: customer.account.id, id: vm.id, inBytes: GB / 4, outBytes: outGb * GB }];
    },
  } as unknown as ComputeEngine;
  return { engine, asked };
}

const count = (engine: ComputeEngine, now: Date) => countTraffic(t.services.db, engine, now);
/** The first count only sets from when on traffic is counted. */
const start = periodStart(new Date());
const at = (minutes: number): Date => new Date(start.getTime() + minutes * MINUTE);

describe('the traffic of a machine', () => {
  it('is null until it was counted', async () => {
    expect(await shown()).toMatchObject({ used_out_gb: null, used_in_gb: null });
    await count(engineWith(1).engine, at(10));
    expect(await shown()).toMatchObject({ used_out_gb: null, used_in_gb: null });
  });

  it('is counted once for each period, even by several workers', async () => {
    const { engine, asked } = engineWith(1);
    await count(engine, at(10));
    await Promise.all([count(engine, at(15)), count(engine, at(15)), count(engine, at(15))]);
    await count(engine, at(15));
    expect(await shown()).toMatchObject({ used_out_gb: 1, used_in_gb: 0.25 });
    await count(engine, at(60));
    expect(await shown()).toEqual({
      included_gb: 20000,
      used_out_gb: 2,
      used_in_gb: 0.5,
      period_start: start.toISOString(),
    });
    expect(new Set(asked.map(([, to]) => to))).toEqual(new Set([at(13).toISOString(), at(58).toISOString()]));
    const { traffic } = (await customer.send('PATCH', `vms/${vm.id}`, { description: 'x' })).json<Vm>();
    expect(traffic).toMatchObject({ used_out_gb: 2 });
  });

  it('starts at zero in each month', async () => {
    const { engine, asked } = engineWith(1);
    await count(engine, at(-10));
    await count(engine, at(-5));
    expect(await shown()).toMatchObject({ used_out_gb: 0, used_in_gb: 0 });
    await count(engine, at(10));
    expect(asked.slice(1)).toEqual([
      [at(-7).toISOString(), at(0).toISOString()],
      [at(0).toISOString(), at(8).toISOString()],
    ]);
    expect(await shown()).toMatchObject({ used_out_gb: 1, used_in_gb: 0.25 });
  });

  it('is counted later if the engine does not answer', async () => {
    const { engine, asked } = engineWith(1);
    await count(engine, at(10));
    const silent = { ...engine, readTraffic: () => Promise.reject(new Error('silent')) };
    await expect(count(silent, at(20))).rejects.toThrow('silent');
    await count(engine, at(30));
    expect(asked).toEqual([[at(8).toISOString(), at(28).toISOString()]]);
  });

  it('is counted in the sandbox, in all locations', async () => {
    await t.services.db.deleteFrom('vm_traffic').execute();
    await machineTraffic.run(t.services);
    const engine = t.services.compute.at('fra1')!;
    // Nothing was sent before the machine was there, so the time of the count is moved into the future.
    await count(engine, new Date(Date.now() + 5 * MINUTE));
    const { used_out_gb, used_in_gb } = await shown();
    expect([used_out_gb, used_in_gb]).toEqual([expect.any(Number), expect.any(Number)]);
    const counted = await t.services.db.selectFrom('vm_traffic_counted').select('location').execute();
    expect(counted.map(({ location }) => location).sort()).toEqual(['ams1', 'fra1', 'hel1']);
  });

  it('is deleted with the machine', async () => {
    const { engine } = engineWith(1);
    await count(engine, at(10));
    await count(engine, at(20));
    await customer.do('DELETE', `vms/${vm.id}`);
    await count(engine, at(30));
    const rows = t.services.db.selectFrom('vm_traffic').select('vm_id').where('vm_id', '=', vm.id);
    expect(await rows.execute()).toEqual([]);
  });
});
