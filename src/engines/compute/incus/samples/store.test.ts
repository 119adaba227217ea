import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../testing/database.ts';
import type { Sample } from '../metrics-text.ts';
import { PgSamples } from './store.ts';

const database = useTestDatabase();

const ref = { account: 'acc_1', id: 'vm_1' };

const at = (second: number): Date => new Date(Date.UTC(2026, 2, 1, 0, 0, second));
const sample = (second: number, of = ref): Sample => ({
  ...of,
  at: at(second),
  cpuSeconds: 1.25,
  vcpus: 2,
  memoryUsed: 2 ** 40,
  memoryTotal: 2 ** 41,
  diskReadBytes: 2 ** 52,
  diskWrittenBytes: 3,
  diskReads: 4,
  diskWrites: 5,
  diskUsed: null,
  diskTotal: 6,
  networkInBytes: 7,
  networkOutBytes: 8,
});

describe('samples of machines', () => {
  it('are read in the order of time, each once, separately for each location', async () => {
    const [here, elsewhere] = [new PgSamples(database.db, 'here'), new PgSamples(database.db, 'elsewhere')];
    await here.add([sample(3), sample(1), sample(2, { ...ref, id: 'vm_2' })]);
    await here.add([sample(1), sample(9)]);
    await elsewhere.add([sample(2)]);
    expect(await here.read(ref, at(1), at(9))).toEqual([sample(1), sample(3)]);
    await here.removeBefore(at(3));
    expect(await here.read(ref, at(0), at(10))).toEqual([sample(3), sample(9)]);
    expect(await elsewhere.read(ref, at(0), at(10))).toEqual([sample(2)]);
  });

  it('add up the traffic, also across a restart and gaps in the samples', async () => {
    const samples = new PgSamples(database.db, 'traffic');
    const counted = (second: number, networkInBytes: number | null, networkOutBytes: number | null) => ({
      ...sample(second),
      networkInBytes,
      networkOutBytes,
    });
    await samples.add([
      counted(1, 100, 10),
      counted(2, 300, 20),
      counted(10, null, null),
      counted(20, 1000, 50),
      // The machine was started again.
      counted(21, 70, 5),
      { ...counted(21, 9, 9), id: 'vm_2' },
    ]);
    const traffic = (inBytes: number, outBytes: number, id = 'vm_1') => ({ ...ref, id, inBytes, outBytes });
    expect(await samples.sumTraffic(at(0), at(2))).toEqual([traffic(100, 10)]);
    expect(await samples.sumTraffic(at(2), at(20))).toEqual([traffic(200, 10)]);
    expect(await samples.sumTraffic(at(20), at(21))).toEqual([traffic(700, 30)]);
    expect(await samples.sumTraffic(at(21), at(30))).toEqual([traffic(70, 5), traffic(9, 9, 'vm_2')]);
    expect(await samples.sumTraffic(at(0), at(30))).toEqual([traffic(1070, 55), traffic(9, 9, 'vm_2')]);
  });

  it('can be written for more machines than one statement can hold', async () => {
    const samples = new PgSamples(database.db, 'many');
    await samples.add(Array.from({ length: 2500 }, (_, i) => sample(1, { ...ref, id: `vm_${i}` })));
    expect(await samples.read({ ...ref, id: 'vm_2499' }, at(0), at(2))).toHaveLength(1);
  });
});
