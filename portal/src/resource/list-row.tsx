/** What the rows of a list show: which columns, and the name as a link to the page of the resource. */
import { Link } from '@tanstack/react-router';
import { addressOf, type Noun, type NounFamily, type PathValues } from '../data/nouns.ts';
import type { Resource } from '../data/product.ts';
import type { Schema } from '../form/document.ts';
import { nameOf } from './act-menu.tsx';
import type { Shape } from './schema.ts';
import { Labels } from './value.tsx';

export const keyIn =
  (noun: Noun) =>
  (row: Resource): string =>
    String(row[noun.key] ?? row['id'] ?? row['slug'] ?? JSON.stringify(row));

/** Without columns of its own, the first few plain members. */
export const columnsOf = ({ columns, members }: Shape, key: string): Shape['columns'] =>
  columns.length > 0
    ? columns
    : members.filter(([name, schema]) => name !== key && schema['type'] !== 'object').slice(0, 5);

/** Texts that people wrote may be one long word. */
export const isFree = (schema: Schema): boolean =>
  schema['type'] === 'string' && schema['enum'] === undefined && schema['format'] !== 'date-time';

export function RowNote({ row }: { row: Resource }) {
  const labels = row['labels'] as Readonly<Record<string, string>> | undefined;
  return labels === undefined || Object.keys(labels).length === 0 ? null : <Labels labels={labels} />;
}

export function RowLink(props: {
  noun: Noun;
  families: readonly NounFamily[];
  row: Resource;
  above: PathValues;
  isGone: boolean;
}) {
  const { noun, families, row, above, isGone } = props;
  const name = nameOf(row);
  // It takes no more room than before, so that nothing below it moves.
  if (isGone)
    return (
      <s className="text-faint" title="Deleted">
        {name}
        <span className="sr-only"> Deleted</span>
      </s>
    );
  if (noun.read === undefined && noun.parent !== undefined) return <>{name}</>;
  if (noun.read === undefined && !noun.declare) return <>{name}</>;
  const parent = noun.parent && above[noun.parent.parameter];
  return (
    <Link
      to={addressOf(noun, families, String(row[noun.key] ?? row['id']), parent)}
      className="text-ink hover:text-accent-ink hover:underline"
    >
      {name}
    </Link>
  );
}
