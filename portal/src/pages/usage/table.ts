/** The usage as the lines of a file: each day of the period has one at least, and what is missing has its reason. */
import type { Usage, UsageGroup } from '../../data/account-types.ts';
import type { Period } from './periods.ts';

type Line = readonly (string | number)[];
type Key = UsageGroup['key'];
type Quantity = UsageGroup['quantities'][number];

export interface Figures extends Pick<Usage, 'groups' | 'currency' | 'data_complete_until'> {
  readonly period: Period;
  /** Whether the groups are all that the server has. */
  readonly isWhole: boolean;
}

const DAY = 86_400_000;
const NO_ITEM = ['', '', '', '', '', ''];
const itemOf = ({ sku, name, unit, quantity, included, billable }: Quantity): Line => [
  sku,
  name,
  unit,
  quantity,
  included,
  billable,
];

const sentences = (...all: readonly (string | false | null)[]): string =>
  all.filter((each) => each !== null && each !== false && each !== '').join(' ');

function allDays({ from, to }: Period): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** What `key` has in common, for a file, or why there is nothing to name. */
export function nameIn(key: Key): readonly [name: string, whyNone: string] {
  const { family, resource_type: type, resource_id: id, label_value: value, location } = key;
  const name = id ?? type ?? family ?? value ?? location;
  if (name !== undefined && name !== null) return [name, ''];
  return ['', 'label_value' in key ? 'These resources do not have the label.' : 'This cost has no location.'];
}

/**
 * One line for each item of the price list in each group on each day. A group has one cost, which stands in its first
 * line: so the sum of the column is the cost of all.
 */
function linesOfGroup(group: UsageGroup, day: string, begun: string): Line[] {
  const [name, whyNone] = nameIn(group.key);
  const items = group.quantities.length === 0 ? [NO_ITEM] : group.quantities.map(itemOf);
  return items.map((item, at) => [
    day,
    name,
    ...item,
    at === 0 ? group.cost : '',
    sentences(
      whyNone,
      at > 0 && 'The cost of this item is part of the cost in the line above that has one.',
      begun,
    ),
  ]);
}

export function linesOf(
  { groups, currency, period, data_complete_until: until, isWhole }: Figures,
  title: string,
): readonly Line[] {
  const head = ['day', title, 'sku', 'name', 'unit', 'quantity', 'included', 'billable'];
  const byDay = new Map<string, UsageGroup[]>();
  for (const group of groups) {
    const { day = '' } = group.key;
    const own = byDay.get(day);
    if (own === undefined) byDay.set(day, [group]);
    else own.push(group);
  }
  const counted = Date.parse(until);
  const lines = allDays(period).flatMap((day): Line[] => {
    const at = Date.parse(day);
    const own = byDay.get(day) ?? [];
    if (at >= counted) return [[day, '', ...NO_ITEM, '', 'This day has not begun.']];
    const begun = counted < at + DAY ? `Counted until ${until.slice(11, 16)} UTC: the day is not over.` : '';
    if (own.length > 0) return own.flatMap((group) => linesOfGroup(group, day, begun));
    const nothing = isWhole ? 'Nothing was used.' : 'No line of this file is about this day.';
    return [[day, '', ...NO_ITEM, isWhole ? '0' : '', sentences(nothing, begun)]];
  });
  const more = 'There is more than a file can have: choose fewer days, or read getUsage of the API.';
  const cut: Line[] = isWhole ? [] : [['', '', ...NO_ITEM, '', more]];
  return [[...head, `cost_${currency.toLowerCase()}`, 'note'], ...lines, ...cut];
}
