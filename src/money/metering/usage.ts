/** Groups the costs and quantities of a period by family, type, resource, label, location or day. */
import { setImmediate } from 'node:timers/promises';
import type { Micro } from '../../kernel/micro.ts';
import { keysOf, OneOf } from '../../kernel/schema.ts';
import { type Part, partsOf } from './accrual.ts';
import { dayName, type Period, startOfDay } from './calendar.ts';
import type { Ledger } from './span.ts';

const groupingMeanings = {
  family: 'One group for each product family.',
  type: 'One group for each type of resource.',
  resource: 'One group for each resource.',
  label: 'One group for each value of the label that `label_key` names.',
  location: 'One group for each location.',
  day: 'One group for each day in UTC.',
} as const;
export const groupings = keysOf(groupingMeanings);
export const GroupBy = OneOf(groupingMeanings, { description: 'How the cost is grouped.' });

export interface Grouping {
  readonly by: keyof typeof groupingMeanings;
  /** The label to group by, if `by` is `label`. */
  readonly labelKey?: string | undefined;
  /** One group for each of these on each day. */
  readonly byDay?: boolean;
}

export interface UsageKey {
  readonly family?: string;
  readonly resource_type?: string;
  readonly resource_id?: string;
  readonly label_value?: string | null;
  readonly location?: string | null;
  readonly day?: string;
}

export interface Quantity {
  readonly sku: string;
  readonly unit: string;
  readonly quantity: Micro;
  readonly billable: Micro;
}

export interface UsageGroup {
  readonly key: UsageKey;
  readonly quantities: readonly Quantity[];
  readonly cost: Micro;
}

export interface Usage {
  readonly fixed: Micro;
  readonly metered: Micro;
  readonly groups: readonly UsageGroup[];
}

function keyFor(part: Part, grouping: Grouping): UsageKey {
  const key = groupOf(part, grouping);
  return grouping.byDay ? { ...key, day: dayName(part.at) } : key;
}

function groupOf({ origin, at }: Part, { by, labelKey = '' }: Grouping): UsageKey {
  const { family, type, resourceId, labels, location } = origin;
  switch (by) {
    case 'family':
      return { family };
    case 'type':
      return { family, resource_type: type };
    case 'resource':
      return { family, resource_type: type, resource_id: resourceId };
    case 'label':
      return { label_value: Object.hasOwn(labels, labelKey) ? (labels[labelKey] ?? null) : null };
    case 'location':
      return { location };
    case 'day':
      return { day: dayName(at) };
  }
}

export const isByDay = ({ by, byDay = false }: Grouping): boolean => by === 'day' || byDay;

interface Tally {
  readonly key: UsageKey;
  readonly quantities: Map<string, { sku: string; unit: string; quantity: Micro; billable: Micro }>;
  cost: Micro;
}

/**
 * After this many parts the loop yields to the event loop: grouping a year of a large account by day takes a
 * while.
 */
const TURN = 10_000;

export async function groupUsage(ledger: Ledger, { from, to }: Period, grouping: Grouping): Promise<Usage> {
  const tallies = new Tallies(grouping);
  const totals = { fixed: 0n, metered: 0n };
  let seen = 0;
  const stretch = { from: from.getTime(), to: to.getTime(), byDay: isByDay(grouping) };
  for (const part of partsOf(ledger, stretch)) {
    if (++seen % TURN === 0) await setImmediate();
    totals[part.kind] += part.cost;
    const tally = tallies.of(part);
    tally.cost += part.cost;
    count(tally, part);
  }
  return { ...totals, groups: tallies.sorted().map(present) };
}

class Tallies {
  readonly #grouping: Grouping;
  readonly #byName = new Map<string, Tally>();
  /** Cache: many parts belong to the same span or day, so their group key is computed once. */
  readonly #known = new Map<unknown, Tally>();

  constructor(grouping: Grouping) {
    this.#grouping = grouping;
  }

  of(part: Part): Tally {
    const { by, byDay } = this.#grouping;
    // Of a span on a day there is no value to find it by.
    const sign = by === 'day' ? startOfDay(part.at) : byDay ? {} : part.origin;
    const known = this.#known.get(sign);
    if (known !== undefined) return known;
    const key = keyFor(part, this.#grouping);
    const name = JSON.stringify(key);
    const tally = this.#byName.get(name) ?? { key, quantities: new Map(), cost: 0n };
    this.#byName.set(name, tally);
    if (!byDay) this.#known.set(sign, tally);
    return tally;
  }

  sorted(): Tally[] {
    return [...this.#byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
  }
}

function count({ quantities }: Tally, { sku, unit, quantity, billable }: Part): void {
  const name = `${sku} ${unit}`;
  const known = quantities.get(name);
  if (known === undefined) quantities.set(name, { sku, unit, quantity, billable });
  else {
    known.quantity += quantity;
    known.billable += billable;
  }
}

const present = ({ key, quantities, cost }: Tally): UsageGroup => ({
  key,
  cost,
  quantities: [...quantities.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, quantity]) => quantity),
});
