/** Runs a test suite once for each engine kind, each time on a new engine. */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { Lab } from '../../engines/compute/contract/lab.ts';
import { useTestDatabase } from '../database.ts';
import { type IncusChoices, type IncusHarness, openIncus } from './harness.ts';
import { type EngineKind, engineKinds, whyNoIncus } from './programs.ts';

/** Filled in before the first test runs. */
export interface Bench {
  readonly harness: IncusHarness;
  readonly lab: Lab;
}

export interface BenchChoices extends Omit<IncusChoices, 'kind'> {
  /** Machines of one test stay for the next tests. */
  readonly keeps?: boolean;
}

export function describeEngines(
  body: (bench: Bench, kind: EngineKind) => void,
  { keeps = false, ...choices }: BenchChoices = {},
): void {
  const database = useTestDatabase();
  for (const kind of engineKinds) {
    const reason = whyNoIncus(kind);
    describe.skipIf(reason !== null)(reason === null ? kind : `${kind}: ${reason}`, () => {
      const bench = {} as { harness: IncusHarness; lab: Lab };
      beforeAll(async () => {
        bench.harness = await openIncus(database.db, { kind, ...choices });
        bench.lab = new Lab(bench.harness);
      });
      if (!keeps) afterEach(() => bench.lab.clear());
      afterAll(async () => {
        await bench.lab?.clear();
        await bench.harness?.close();
      });
      body(bench, kind);
    });
  }
}
