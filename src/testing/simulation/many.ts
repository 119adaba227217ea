import type { SimulationHome } from './home.ts';
import { type Report, simulate } from './world.ts';

export interface Tally {
  readonly worlds: number;
  readonly accepted: number;
  readonly refused: number;
  readonly events: number;
  readonly broken: readonly Report[];
}

/**
 * Simulates one world after the other in each home, never two in the same home. Stops early after `mostBroken` broken
 * worlds.
 */
export async function simulateMany(
  homes: readonly SimulationHome[],
  seeds: { readonly from: number; readonly count: number },
  mostBroken: number,
): Promise<Tally> {
  let [next, worlds, accepted, refused, events] = [seeds.from, 0, 0, 0, 0];
  const broken: Report[] = [];
  const liveIn = async (home: SimulationHome): Promise<void> => {
    while (next < seeds.from + seeds.count && broken.length < mostBroken) {
      const report = await simulate(home, next++);
      worlds++;
      accepted += report.accepted;
      refused += report.refused;
      events += report.trace.length;
      if (report.violation !== null) broken.push(report);
    }
  };
  await Promise.all(homes.map(liveIn));
  broken.sort((a, b) => a.seed - b.seed);
  return { worlds, accepted, refused, events, broken };
}

export const explain = ({ seed, violation, trace }: Report): string =>
  [`seed ${seed}: ${violation}`, ...trace, `Replay it: npm run simulate -- --seed ${seed}`].join('\n');
