import type { Noun, NounFamily } from '../data/nouns.ts';
import { ownParameter, type PathValues, singularOf } from '../data/nouns.ts';
import type { Resource } from '../data/product.ts';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { unturned } from '../ui/unturned.ts';
import type { Act } from './acts.ts';

/** The values of the path of a call about this row. */
export const pathFor = (noun: Noun, act: Act, row: Resource, above: PathValues): PathValues => {
  const own = ownParameter(act.call.path);
  return own === undefined ? above : { ...above, [own]: String(row[noun.key] ?? row['id']) };
};

export const nameOf = (row: Resource): string =>
  unturned(String(row['name'] ?? row['address'] ?? row['slug'] ?? row['id'] ?? ''));

export function ActMenu(props: {
  noun: Noun;
  name: string;
  acts: readonly Act[];
  choose: (act: Act) => void;
  families?: readonly NounFamily[];
}) {
  const { noun, name, acts, choose } = props;
  const item = (act: Act): MenuItem => ({
    label: act.label,
    danger: act.isDanger,
    why: act.why,
    run: () => choose(act),
  });
  const [plain, danger] = [acts.filter(({ isDanger }) => !isDanger), acts.filter(({ isDanger }) => isDanger)];
  const items = [
    ...plain.map(item),
    ...(plain.length > 0 && danger.length > 0 ? (['line'] as const) : []),
    ...danger.map(item),
  ];
  return items.length === 0 ? null : <Menu label={`Acts on ${singularOf(noun)} ${name}`} items={items} />;
}
