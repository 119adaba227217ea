/** What the rows of a list show: which columns, and the name as a link to the page of the resource. */
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { WhyNot } from '../data/access.ts';
import { addressOf, type Noun, type NounFamily, type PathValues } from '../data/nouns.ts';
import type { Resource } from '../data/product.ts';
import type { Schema } from '../form/document.ts';
import { headOf } from '../form/words.ts';
import { Acts, Cell, Row } from '../ui/rows.tsx';
import { ActMenu, nameOf } from './act-menu.tsx';
import { type Act, actsFor } from './acts.ts';
import type { Shape } from './schema.ts';
import { Labels, RowStatus, Value } from './value.tsx';

/** So many columns fit beside the menu on a small screen with a table. */
export const FIRST = 4;

export const keyIn =
  (noun: Noun) =>
  (row: Resource): string =>
    String(row[noun.key] ?? row['id'] ?? row['slug'] ?? JSON.stringify(row));

/** Without columns of its own, the first few plain members. */
export const columnsOf = ({ columns, members }: Shape, key: string): Shape['columns'] =>
  columns.length > 0
    ? columns
    : members.filter(([name, schema]) => name !== key && schema['type'] !== 'object').slice(0, 5);

/**
 * The share of a column in the width of the table. It follows from the column alone, so that no row that comes, goes or
 * changes moves the columns.
 */
export function shareOf(schema: Schema, at: number): number {
  if (at === 0) return 3;
  if (schema['x-states'] !== undefined) return 2.5;
  const types = [schema['type']].flat();
  if (types.includes('number') || types.includes('integer') || types.includes('boolean')) return 1.5;
  return schema['x-ref'] !== undefined || schema['enum'] !== undefined ? 1.75 : 2.25;
}

/** Texts that people wrote may be one long word. */
const isFree = (schema: Schema): boolean =>
  schema['type'] === 'string' && schema['enum'] === undefined && schema['format'] !== 'date-time';

function RowNote({ row }: { row: Resource }) {
  const labels = row['labels'] as Readonly<Record<string, string>> | undefined;
  return labels === undefined || Object.keys(labels).length === 0 ? null : <Labels labels={labels} />;
}

function RowLink(props: {
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

interface Props {
  readonly id: string;
  /** In the whole list, counted from 0. */
  readonly place: number;
  readonly noun: Noun;
  readonly families: readonly NounFamily[];
  readonly row: Resource;
  readonly above: PathValues;
  readonly columns: Shape['columns'];
  /** The schema of the status; undefined for resources without one. */
  readonly status: Schema | undefined;
  readonly whyNot: WhyNot;
  readonly choose: (act: Act, row: Resource) => void;
  /** Whether any row of the list can be selected: then each has a cell for it. */
  readonly canSelect: boolean;
  /** Undefined if this row cannot be selected. */
  readonly toggle: ((id: string) => void) | undefined;
  readonly isSelected: boolean;
  readonly isGone: boolean;
}

/** Rendered again only when something of this row changes. */
export const ListRow = memo(function ListRow(props: Props) {
  const { id, place, noun, families, row, above, columns, status, isSelected, isGone } = props;
  const { whyNot, choose, canSelect, toggle } = props;
  return (
    <Row place={place}>
      {canSelect && (
        <td className="w-10 py-3 pl-4 align-top max-lg:absolute max-lg:top-1 max-lg:right-12 max-lg:p-0">
          {toggle && (
            <label className="grid size-6 place-items-center max-lg:size-9">
              <span className="sr-only">Select {nameOf(row)}</span>
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={isSelected}
                disabled={isGone}
                onChange={() => toggle(id)}
              />
            </label>
          )}
        </td>
      )}
      {columns.map(([name, schema], at) =>
        at === 0 ? (
          <Cell key={name} wide free quiet={<RowNote row={row} />}>
            <span className="font-medium max-lg:mr-20 max-lg:block">
              <RowLink noun={noun} families={families} row={row} above={above} isGone={isGone} />
            </span>
          </Cell>
        ) : (
          <Cell key={name} label={headOf(name, schema)} free={isFree(schema)} extra={at >= FIRST}>
            {schema === status && typeof row[name] === 'string' ? (
              <RowStatus value={row[name]} schema={schema} row={row} />
            ) : (
              <Value name={name} value={row[name]} schema={schema} row={row} />
            )}
          </Cell>
        ),
      )}
      <Acts>
        <ActMenu
          noun={noun}
          name={nameOf(row)}
          acts={actsFor(noun, row, status, isGone ? () => 'It was deleted.' : whyNot)}
          choose={(act) => choose(act, row)}
        />
      </Acts>
    </Row>
  );
});
