import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useWhyNot } from '../data/access.ts';
import { type Noun, type NounFamily, type PathValues, titleOf } from '../data/nouns.ts';
import type { Resource } from '../data/product.ts';
import { inSentence } from '../data/words.ts';
import { headOf } from '../form/words.ts';
import { type Near, PART } from '../ui/near.ts';
import { type Column, Rows, Table } from '../ui/rows.tsx';
import { Empty } from '../ui/states.tsx';
import { nameOf, pathFor } from './act-menu.tsx';
import { type Act, isFor } from './acts.ts';
import { useHeld } from './held.ts';
import { ActDialog } from './lazy-act.tsx';
import { columnsOf, FIRST, keyIn, ListRow, shareOf } from './list-row.tsx';
import type { Shape } from './schema.ts';
import { useSearchValues, useSetSearch } from './search-values.ts';

const Bulk = lazy(async () => ({ default: (await import('./bulk.tsx')).Bulk }));

export interface ListOf {
  readonly noun: Noun;
  readonly families: readonly NounFamily[];
  /** The path parameters of what the rows are parts of. */
  readonly above?: PathValues;
  /** The button that creates one, also on the empty page. */
  readonly create?: React.ReactNode;
}

interface Props extends ListOf {
  readonly shape: Shape;
  readonly rows: readonly Resource[];
  readonly near: Near;
  /** Columns by which the server sorts. */
  readonly sorts?: readonly string[];
  readonly isFiltered?: boolean;
}

const TOP: PathValues = {};
const NO_SORTS: readonly string[] = [];

/** A heading that sorts by its column, or turns the order. */
function useHeads(columns: Shape['columns'], sorts: readonly string[]): readonly Column[] {
  const set = useSetSearch();
  const { sort: sorted } = useSearchValues();
  return columns.map(([name, schema], at) => ({
    label: headOf(name, schema),
    extra: at >= FIRST,
    share: shareOf(schema, at),
    ...(sorts.includes(name)
      ? {
          sort: () => set({ sort: sorted === name ? `-${name}` : name }),
          direction: sorted === name ? 'up' : sorted === `-${name}` ? 'down' : undefined,
        }
      : {}),
  }));
}

function Nothing({ noun, create, isFiltered }: Pick<Props, 'noun' | 'create' | 'isFiltered'>) {
  const things = inSentence(titleOf(noun));
  const { name } = useSearchValues();
  return isFiltered ? (
    <Empty title={`No ${things} match these filters`}>
      Change or clear the filters.
      {name !== undefined &&
        ' Here only a whole name is found. The search at the top of the page, Ctrl K, also finds a part of it.'}
    </Empty>
  ) : (
    <Empty title={`No ${things} yet`} act={create}>
      {noun.purpose}
    </Empty>
  );
}

export function ListedRows({
  noun,
  families,
  above = TOP,
  create,
  shape,
  rows,
  near,
  sorts = NO_SORTS,
  isFiltered = false,
}: Props) {
  const whyNot = useWhyNot();
  const keyOf = useMemo(() => keyIn(noun), [noun]);
  const held = useHeld(rows, keyOf);
  const [open, setOpen] = useState<{ readonly act: Act; readonly row: Resource } | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const status = useMemo(() => shape.members.find(([name]) => name === 'status')?.[1], [shape]);
  const columns = useMemo(() => columnsOf(shape, noun.key), [shape, noun]);
  const choose = useCallback((act: Act, row: Resource) => setOpen({ act, row }), []);
  const toggle = useCallback((id: string) => {
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }, []);
  const heads = useHeads(columns, sorts);
  if (rows.length === 0 && held.rows.length === 0)
    return <Nothing noun={noun} create={create} isFiltered={isFiltered} />;
  const isSelectable = (row: Resource): boolean =>
    noun.bulk.length > 0 || (noun.delete !== undefined && isFor(noun.delete, row));
  const selectable = held.rows.filter(isSelectable);
  const canSelect = selectable.length > 0;
  const chosen = held.rows.filter((row) => selected.has(keyOf(row)));
  return (
    <div {...held.handlers} className="relative flex flex-col">
      {/* Lists of their own have the button in the head of the page. */}
      {noun.parent !== undefined && create && <div className="mb-4 flex justify-end">{create}</div>}
      {canSelect && chosen.length > 0 && (
        <Suspense>
          <Bulk
            noun={noun}
            rows={chosen}
            above={above}
            all={selectable}
            select={(ids) => setSelected(new Set(ids))}
            whyNot={whyNot}
            keyOf={keyOf}
          />
        </Suspense>
      )}
      {held.waiting > 0 && (
        // Above the heads, and not in the flow: the rows stay where they are.
        <p role="status" className="absolute top-1 right-3 z-10">
          <button type="button" className="btn btn-primary btn-small" onClick={held.release}>
            Show {held.waiting} new
          </button>
        </p>
      )}
      <Table
        label={titleOf(noun)}
        columns={[...(canSelect ? ['Select'] : []), ...heads, 'Acts']}
        rowCount={held.rows.length}
      >
        {near.stretches(held.rows.length).map((stretch) => {
          const { first, last, farHeight } = stretch;
          return (
            // Another stretch is another element: the browser says anew whether it is near.
            <Rows key={`${first} ${last}`} stretch={stretch} watch={near.watch}>
              {farHeight === undefined &&
                held.rows.slice(first * PART, (last + 1) * PART).map((row, at) => {
                  const id = keyOf(row);
                  return (
                    <ListRow
                      key={id}
                      id={id}
                      place={first * PART + at}
                      noun={noun}
                      families={families}
                      row={row}
                      above={above}
                      columns={columns}
                      status={status}
                      whyNot={whyNot}
                      choose={choose}
                      canSelect={canSelect}
                      toggle={isSelectable(row) ? toggle : undefined}
                      isSelected={selected.has(id)}
                      isGone={held.isGone(id)}
                    />
                  );
                })}
            </Rows>
          );
        })}
      </Table>
      {open && (
        <ActDialog
          act={open.act}
          noun={noun}
          row={rows.find((row) => keyOf(row) === keyOf(open.row)) ?? open.row}
          path={pathFor(noun, open.act, open.row, above)}
          name={nameOf(open.row)}
          close={() => setOpen(null)}
        />
      )}
    </div>
  );
}
