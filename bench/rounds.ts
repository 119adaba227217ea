/** Contenders take turns, so that whatever else the machine does meets both alike. */
import type { Order } from './load.ts';
import { median } from './median.ts';
import { type Contender, type Load, processorSeconds } from './processes.ts';

export interface Side {
  readonly perSecond: number;
  readonly microsecondsEach: number;
}

export interface Comparison {
  /** Requests per second, ours ÷ theirs: the median over the rounds. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
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

async function measure(load: Load, contender: Contender, order: Order): Promise<Side> {
  const before = processorSeconds(contender.pid);
  const { answers, seconds } = await load.run(order);
  const spent = processorSeconds(contender.pid) - before;
  return { perSecond: answers / seconds, microsecondsEach: (spent / answers) * 1e6 };
}

export async function compare(
  load: Load,
  [ours, theirs]: readonly [Contender, Contender],
  plan: Plan,
  /** Called before each round, for what has to be true when it begins. */
  taskOf: (round: number) => Task | Promise<Task>,
): Promise<Comparison> {
  const { connections, milliseconds } = plan;
  const measured = new Map<Contender, Side[]>([
    [ours, []],
    [theirs, []],
  ]);
  for (let round = -1; round < plan.rounds; round++) {
    const task = await taskOf(round + 1);
    const isWarmUp = round < 0;
    for (const contender of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
      const order = { ...task, port: contender.port, connections };
      const side = await measure(load, contender, {
        ...order,
        milliseconds: isWarmUp ? plan.warmUpMilliseconds : milliseconds,
      });
      if (!isWarmUp) measured.get(contender)?.push(side);
    }
  }
  const mine = measured.get(ours) ?? [];
  const others = measured.get(theirs) ?? [];
  const ratios = mine.map(({ perSecond }, i) => perSecond / (others[i]?.perSecond ?? Number.NaN));
  return {
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    ours: middle(mine),
    theirs: middle(others),
  };
}

function middle(sides: readonly Side[]): Side {
  return {
    perSecond: median(sides.map((side) => side.perSecond)),
    microsecondsEach: Math.min(...sides.map((side) => side.microsecondsEach)),
  };
}
