/** The cost of each day, split by what it was for: the dearest each in its own colour, the rest together. */
import type { UsageGroup } from '../../data/account-types.ts';

/** A chart has six colours. */
const MOST = 6;

export interface Stack {
  readonly key: UsageGroup['key'] | null;
  readonly values: readonly number[];
}

/** `key` is null for the rest. There is always one stack. */
export function stacksOf(groups: readonly UsageGroup[], days: readonly string[]): readonly Stack[] {
  const byName = new Map<string, { key: UsageGroup['key']; costs: Map<string, number>; total: number }>();
  for (const { key: whole, cost } of groups) {
    const { day = '', ...key } = whole;
    const name = JSON.stringify(key);
    const found = byName.get(name) ?? { key, costs: new Map<string, number>(), total: 0 };
    found.costs.set(day, Number(cost));
    found.total += Number(cost);
    byName.set(name, found);
  }
  const dearest = [...byName.values()].sort((a, b) => b.total - a.total);
  const shown = dearest.length > MOST ? dearest.slice(0, MOST - 1) : dearest;
  const rest = dearest.slice(shown.length);
  const stacks: Stack[] = shown.map(({ key, costs }) => ({
    key,
    values: days.map((day) => costs.get(day) ?? 0),
  }));
  if (rest.length === 0 && stacks.length > 0) return stacks;
  const sumOf = (day: string): number => rest.reduce((sum, { costs }) => sum + (costs.get(day) ?? 0), 0);
  return [...stacks, { key: null, values: days.map(sumOf) }];
}
