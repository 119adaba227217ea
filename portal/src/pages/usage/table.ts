/** The usage as the lines of a file. */
import type { Usage, UsageGroup } from '../../data/account-types.ts';

type Line = readonly (string | number)[];

/**
 * One line for each item of the price list in each group, and on each day if the report has days. A group has one cost,
 * which stands in its first line: so the sum of the column is the cost of all.
 */
export function linesOf(
  { groups, currency }: Pick<Usage, 'groups' | 'currency'>,
  title: string,
  nameOf: (key: UsageGroup['key']) => string,
): readonly Line[] {
  const isByDay = groups.some(({ key }) => key.day !== undefined);
  const day = (text = ''): string[] => (isByDay ? [text] : []);
  const head = [...day('day'), title, 'sku', 'name', 'unit', 'quantity', 'included', 'billable'];
  const lines = groups.flatMap(({ key, quantities, cost }): Line[] => {
    const { day: on, ...rest } = key;
    const whose = [...day(on), nameOf(rest)];
    const used = quantities.map(({ sku, name, unit, quantity, included, billable }) => [
      sku,
      name,
      unit,
      quantity,
      included,
      billable,
    ]);
    return (used.length === 0 ? [['', '', '', '', '', '']] : used).map((each, at) => [
      ...whose,
      ...each,
      at === 0 ? cost : '',
    ]);
  });
  return [[...head, `group_cost_${currency.toLowerCase()}`], ...lines];
}
