import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useWhyNot } from '../data/access.ts';
import {
  filled,
  inSentence,
  type Noun,
  type NounFamily,
  type PathValues,
  singularOf,
  titleOf,
} from '../data/nouns.ts';
import { oneQuery, type Query, type Resource } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import { describe } from '../form/document.ts';
import { headOf } from '../form/words.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Acts, Cell, Row, Table } from '../ui/rows.tsx';
import { Empty, Loaded, Skeleton } from '../ui/states.tsx';
import { ActMenu, nameOf, pathFor } from './act-menu.tsx';
import { type Act, actsFor, isFor } from './acts.ts';
import { chosenIn, Filters, filtersOf } from './filters.tsx';
import { useHeld } from './held.ts';
import { ActDialog } from './lazy-act.tsx';
import { columnsOf, isFree, keyIn, RowLink, RowNote } from './list-row.tsx';
import { useRows } from './pages-of-list.ts';
import { answerOf, type Shape } from './schema.ts';
import { useSearchValues, useSetSearch } from './search-values.ts';
import { Value } from './value.tsx';

const Bulk = lazy(async () => ({ default: (await import('./bulk.tsx')).Bulk }));

interface Props {
  readonly noun: Noun;
  readonly families: readonly NounFamily[];
  /** The path parameters of what the rows are parts of. */
  readonly above?: PathValues;
  /** A filter that the page sets itself. */
  readonly fixed?: Query;
  /** The button that creates one, also on the empty page. */
  readonly create?: React.ReactNode;
}

/** So many columns fit beside the menu on a small screen with a table. */
const FIRST = 4;

/** All resources of a noun that match the filters, page by page. */
export function ResourceList(props: Props) {
  const { noun, above = {}, fixed = {} } = props;
  const rows = noun.rows;
  const document = useQuery({ ...operationQuery(rows?.operation ?? ''), enabled: rows !== undefined });
  if (rows === undefined) return null;
  return (
    <Loaded query={document} rows={6}>
      {(json) => {
        const described = describe(json, rows.operation);
        if (described === null) return null;
        const shape = answerOf(json, rows.operation, rows.in);
        const isPart = rows.in !== '/data';
        const path = filled(rows.path, above);
        if (isPart) return <PartRows {...props} shape={shape} path={path} at={rows.in} />;
        const filters = filtersOf(described, Object.keys(fixed));
        return (
          <>
            <Filters described={described} filters={filters} />
            <ListRows {...props} shape={shape} path={path} filters={filters} sorts={sortsOf(described)} />
          </>
        );
      }}
    </Loaded>
  );
}

const sortsOf = (described: NonNullable<ReturnType<typeof describe>>): readonly string[] => {
  const sort = described.parameters.find(({ name }) => name === 'sort');
  return sort === undefined ? [] : ((described.resolve(sort.schema)['enum'] ?? []) as readonly string[]);
};

/** Rows that are a member of the answer about what they belong to. */
function PartRows(props: Props & { shape: Shape; path: string; at: string }) {
  const { noun, path, at } = props;
  const query = useQuery(oneQuery(useAccount(), noun.name, path));
  return (
    <Loaded query={query} rows={3}>
      {(owner) => {
        const rows = at
          .split('/')
          .slice(1)
          .reduce<unknown>((part, name) => (part as Resource | undefined)?.[name], owner);
        return <Rows {...props} rows={(rows ?? []) as readonly Resource[]} sorts={[]} isFiltered={false} />;
      }}
    </Loaded>
  );
}

function ListRows(
  props: Props & {
    shape: Shape;
    path: string;
    filters: ReturnType<typeof filtersOf>;
    sorts: readonly string[];
  },
) {
  const { noun, path, filters, fixed = {} } = props;
  const chosen = chosenIn(useSearchValues(), filters);
  const { rows, error, hasMore, isMore, more, retry } = useRows(noun.name, path, { ...chosen, ...fixed });
  if (rows === undefined)
    return error === null ? <Skeleton rows={6} /> : <ProblemNotice error={error} retry={retry} />;
  const isFiltered = Object.keys(chosen).some((name) => name !== 'sort');
  return (
    <>
      {error !== null && (
        <div className="mb-4">
          <ProblemNotice error={error} retry={retry} />
        </div>
      )}
      <Rows {...props} rows={rows} isFiltered={isFiltered} />
      {hasMore && (
        <div className="mt-4 flex items-center justify-center gap-3">
          <Button busy={isMore} onClick={more}>
            Load more
          </Button>
          <span className="text-sm text-muted">{rows.length} shown</span>
        </div>
      )}
    </>
  );
}

interface RowsProps extends Props {
  readonly shape: Shape;
  readonly rows: readonly Resource[];
  readonly sorts: readonly string[];
  readonly isFiltered: boolean;
}

function Rows({ noun, families, above = {}, create, shape, rows, sorts, isFiltered }: RowsProps) {
  const whyNot = useWhyNot();
  const keyOf = keyIn(noun);
  const held = useHeld(rows, keyOf);
  const [open, setOpen] = useState<{ readonly act: Act; readonly row: Resource } | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const set = useSetSearch();
  const search = useSearchValues();
  const status = shape.members.find(([name]) => name === 'status')?.[1];
  const columns = columnsOf(shape, noun.key);
  // Lists of their own have the button in the head of the page.
  const isPart = noun.parent !== undefined;
  const isSelectable = (row: Resource): boolean =>
    noun.bulk.length > 0 || (noun.delete !== undefined && isFor(noun.delete, row));
  const selectable = held.rows.filter(isSelectable);
  const canSelect = selectable.length > 0;
  const chosen = held.rows.filter((row) => selected.has(keyOf(row)));
  if (rows.length === 0 && held.rows.length === 0)
    return isFiltered ? (
      <Empty title={`No ${inSentence(titleOf(noun))} match these filters`}>
        Change or clear the filters.
      </Empty>
    ) : (
      <Empty title={`No ${inSentence(titleOf(noun))} yet`} act={create}>
        {noun.purpose}
      </Empty>
    );
  const toggle = (row: Resource): void => {
    const next = new Set(selected);
    if (!next.delete(keyOf(row))) next.add(keyOf(row));
    setSelected(next);
  };
  const sorted = search['sort'];
  const sort = (name: string): void => set({ sort: sorted === name ? `-${name}` : name });
  const heads = columns.map(([name, schema], at) => ({
    label: headOf(name, schema),
    extra: at >= FIRST,
    ...(sorts.includes(name)
      ? {
          sort: () => sort(name),
          direction:
            sorted === name ? ('up' as const) : sorted === `-${name}` ? ('down' as const) : undefined,
        }
      : {}),
  }));
  return (
    <div {...held.handlers} className="relative">
      {isPart && create && <div className="mb-4 flex justify-end">{create}</div>}
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
      <Table label={titleOf(noun)} columns={[...(canSelect ? ['Select'] : []), ...heads, 'Acts']}>
        {held.rows.map((row) => {
          const id = keyOf(row);
          const isGone = held.isGone(id);
          return (
            <Row key={id}>
              {canSelect && (
                <td className="w-10 py-3 pl-4 align-top max-lg:absolute max-lg:top-1 max-lg:right-12 max-lg:p-0">
                  {isSelectable(row) && (
                    <label className="grid size-6 place-items-center max-lg:size-9">
                      <span className="sr-only">Select {nameOf(row)}</span>
                      <input
                        type="checkbox"
                        className="size-4 accent-accent"
                        checked={selected.has(id)}
                        disabled={isGone}
                        onChange={() => toggle(row)}
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
                    <Value value={row[name]} schema={schema} row={row} />
                  </Cell>
                ),
              )}
              <Acts>
                <ActMenu
                  noun={noun}
                  name={nameOf(row)}
                  acts={actsFor(noun, row, status, isGone ? () => 'It was deleted.' : whyNot)}
                  choose={(act) => setOpen({ act, row })}
                />
              </Acts>
            </Row>
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

export const CreateLink = ({ noun, to, why }: { noun: Noun; to: string; why: string | undefined }) =>
  why === undefined ? (
    <Link to={to} className="btn btn-primary">
      <Icon name="plus" />
      Create {inSentence(singularOf(noun))}
    </Link>
  ) : (
    <Button kind="primary" why={why}>
      <Icon name="plus" />
      Create {inSentence(singularOf(noun))}
    </Button>
  );
