/** The requests of a simulated world and their times, chosen at random before it starts. */
import type { Kind } from '../../kernel/operations/kind.ts';
import type { SlotCounts } from '../../operations/claims/slots.ts';
import type { Chance } from './chance.ts';
import { ask, type Behaviour, build, extend, fleet, kinds, type Order, remove, restart } from './kinds.ts';

export type Wish =
  | {
      readonly does: 'start';
      readonly kind: Kind<Order>;
      readonly machines: readonly string[];
      readonly order: Order;
      /** An index into the accounts of the home. */
      readonly account: number;
      readonly waits: boolean;
      readonly server?: string;
    }
  /** `which` is an index into the accepted operations, modulo their number. */
  | { readonly does: 'cancel'; readonly which: number }
  | { readonly does: 'news'; readonly machine: string };

export interface Scenario {
  readonly wishes: readonly { readonly atMs: number; readonly wish: Wish }[];
  /** The time at which faults stop. */
  readonly lengthMs: number;
  readonly workers: number;
  readonly slots: SlotCounts;
}

const calm: readonly Behaviour['does'][] = ['retry', 'throw', 'nap', 'await-news', 'commit-throws'];
const bad: readonly Behaviour['does'][] = ['fail', 'fail-late', 'hang', 'hang-deaf'];

function drawBehaviours(chance: Chance, kind: Kind): Behaviour[] {
  const steps = [...kind.steps, ...(kind.undo ?? [])].filter(() => chance.happens(0.2));
  return steps.map(({ name: step }) => {
    const does = chance.happens(0.25) ? chance.pick(bad) : chance.pick(calm);
    const isPassing = does === 'retry' || does === 'throw' || does === 'commit-throws';
    return { step, does, ...(isPassing ? { times: chance.between(1, 2) } : {}) };
  });
}

const order = (chance: Chance, kind: Kind): Order => ({ behaviours: drawBehaviours(chance, kind) });

const MACHINES = 3;
const machineName = (seed: number, i: number): string => `machine-${seed}-${i}`;

export function drawScenario(chance: Chance, seed: number): Scenario {
  const machines = Array.from({ length: MACHINES }, (_, i) => machineName(seed, i));
  const lengthMs = chance.between(5, 60) * 1000;
  let made = MACHINES;
  const start = (kind: Kind<Order>): Wish => {
    const account = chance.pick([0, 1] as const);
    const own = { kind, account, does: 'start', waits: false } as const;
    if (kind === fleet) {
      const children = Array.from({ length: chance.between(1, 3) }, () => ({
        machine: machineName(seed, made++),
        order: order(chance, build),
      }));
      const tolerant = chance.happens(0.5);
      return {
        ...own,
        machines: [machineName(seed, made++)],
        order: { ...order(chance, fleet), children, tolerant },
      };
    }
    const isPair = kind === extend && chance.happens(0.4);
    const first = chance.pick(machines);
    const others = isPair ? machines.filter((each) => each !== first).slice(0, 1) : [];
    return { ...own, machines: [first, ...others], order: order(chance, kind), waits: kind === ask };
  };
  const weighted = [...kinds, build, extend, extend, extend, remove, restart];
  const count = chance.between(3, 7);
  const wishes: { atMs: number; wish: Wish }[] = [];
  const at = (): number => Math.floor(chance.next() ** 2 * lengthMs);
  for (let i = 0; i < count; i++) wishes.push({ atMs: at(), wish: start(chance.pick(weighted)) });
  for (let i = chance.between(0, 3); i > 0; i--)
    wishes.push({ atMs: at(), wish: { does: 'cancel', which: chance.between(0, count) } });
  for (let i = chance.between(0, 3); i > 0; i--)
    wishes.push({ atMs: at(), wish: { does: 'news', machine: chance.pick(machines) } });
  const workers = 2 + Math.floor(chance.next() ** 2 * 4);
  const slots = chance.happens(0.8) ? 160 : chance.between(1, 2);
  return {
    wishes,
    lengthMs,
    workers,
    slots: { own: slots, foreign: slots, undo: slots },
  };
}
