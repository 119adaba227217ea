/**
 * Compares two contenders in alternating rounds, so that other activity of the machine affects both alike.
 */
import type { Order } from './load.ts';
import { median } from './median.ts';
import { type Contender, type Load, processorSeconds } from './processes.ts';

export interface Side {
  readonly perSecond: number;
  /** Processor time of the contender per answer. */
  readonly microseconds: number;
  /** Share of one core that the load generator used. Near 1, the load generator was the bottleneck. */
  readonly loadShare: number;
}

export interface Comparison {
  /** Requests per second, ours ÷ theirs: the median over the rounds. */
  readonly ratio: number;
  /** The lowest and the highest round. */
  readonly rounds: string;
  readonly ours: Side;
  readonly theirs: Side;
}

export interface Plan {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly warmUpMilliseconds: number;
  readonly connections: number;
}

type Task = Pick<Order, 'set' | 'status'>;

async function measure(load: Load, { pid, port }: Contender, order: Omit<Order, 'port'>): Promise<Side> {
  const before = processorSeconds(pid);
  const loadBefore = processorSeconds(load.pid);
  const { answers, seconds } = await load.run({ ...order, port });
  return {
    perSecond: answers === 0 ? 0 : answers / seconds,
    microseconds: ((processorSeconds(pid) - before) / answers) * 1e6,
    loadShare: (processorSeconds(load.pid) - loadBefore) / seconds,
  };
}

export interface Ratios {
  readonly median: number;
  /** The lowest and the highest round, for a reader. */
  readonly text: string;
}

/** Ours ÷ theirs, round by round. Rounds in which one side had no answer are counted, but have no ratio. */
export function ratiosOf(ours: readonly number[], theirs: readonly number[]): Ratios {
  const ratios = ours
    .map((value, i) => value / (theirs[i] ?? Number.NaN))
    .filter((ratio) => Number.isFinite(ratio) && ratio > 0);
  const missing = ours.length - ratios.length;
  const range =
    ratios.length === 0
      ? 'no round'
      : `rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const text = missing === 0 ? range : `${range}, ${missing} without answers`;
  return { median: median(ratios), text };
}

export async function compare(
  load: Load,
  [ours, theirs]: readonly [Contender, Contender],
  plan: Plan,
  /** Called before each round, to prepare it. */
  taskOf: (round: number) => Task | Promise<Task>,
): Promise<Comparison> {
  const { connections, milliseconds, warmUpMilliseconds } = plan;
  const turn = async (round: number, contender: Contender, duration: number): Promise<Side> =>
    measure(load, contender, { ...(await taskOf(round)), connections, milliseconds: duration });
  for (const contender of [ours, theirs]) await turn(0, contender, warmUpMilliseconds);
  const mine: Side[] = [];
  const others: Side[] = [];
  for (let round = 1; round <= plan.rounds; round++) {
    if (round % 2 === 0) mine.push(await turn(round, ours, milliseconds));
    others.push(await turn(round, theirs, milliseconds));
    if (round % 2 === 1) mine.push(await turn(round, ours, milliseconds));
  }
  const perSecond = (sides: readonly Side[]) => sides.map((side) => side.perSecond);
  const ratios = ratiosOf(perSecond(mine), perSecond(others));
  return {
    ratio: ratios.median,
    rounds: ratios.text,
    ours: middle(mine),
    theirs: middle(others),
  };
}

function middle(sides: readonly Side[]): Side {
  return {
    perSecond: median(sides.map((side) => side.perSecond)),
    microseconds: median(sides.map((side) => side.microseconds).filter(Number.isFinite)),
    loadShare: median(sides.map((side) => side.loadShare)),
  };
}
