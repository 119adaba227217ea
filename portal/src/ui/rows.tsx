import type { ReactNode, RefCallback } from 'react';
import type { Stretch } from './near.ts';

export interface Column {
  readonly label: string;
  /** Sorts by this column, or turns its order. */
  readonly sort?: () => void;
  readonly direction?: 'up' | 'down' | undefined;
  /** Left out on screens that are wide enough for a table, but not for all of its columns. */
  readonly extra?: boolean;
  /** Of the width. In a table whose columns have shares, no cell can make its column wider. */
  readonly share?: number;
}

const EXTRA = 'lg:max-xl:hidden';

/** Columns whose heads only screen readers need. */
const SILENT = new Set(['Acts', 'Select']);

interface TableProps {
  readonly columns: readonly (string | Column)[];
  readonly label: string;
  readonly children: ReactNode;
  /** Of a table whose rows come in several `Rows`, because not all of them are rendered. */
  readonly rowCount?: number;
}

/** A table on wide screens; on others each row is a small card, with the name of the column above each value. */
export function Table({ columns, label, children, rowCount }: TableProps) {
  const shares = columns.reduce(
    (sum, column) => sum + (typeof column === 'string' ? 0 : (column.share ?? 0)),
    0,
  );
  return (
    <div className="card overflow-visible">
      <table
        aria-label={label}
        // The head is a row, too.
        aria-rowcount={rowCount === undefined ? undefined : rowCount + 1}
        className={`w-full border-collapse text-left max-lg:block ${shares > 0 ? 'lg:table-fixed' : ''}`}
      >
        <thead className="border-b border-line text-xs text-muted max-lg:sr-only">
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th
                  key={column}
                  scope="col"
                  className={`px-4 py-2.5 font-medium first:pl-5 ${shares > 0 && SILENT.has(column) ? 'w-12' : ''}`}
                >
                  {SILENT.has(column) ? <span className="sr-only">{column}</span> : column}
                </th>
              ) : (
                <Head key={column.label} {...column} shares={shares} />
              ),
            )}
          </tr>
        </thead>
        {rowCount === undefined ? <Rows>{children}</Rows> : children}
      </table>
    </div>
  );
}

/** Rows of a table. Of those that are far from the screen, only the room that they take is rendered. */
export function Rows({
  children,
  stretch,
  watch,
}: {
  children: ReactNode;
  stretch?: Stretch;
  watch?: RefCallback<HTMLElement>;
}) {
  return (
    <tbody
      ref={watch}
      data-first={stretch?.first}
      data-last={stretch?.last}
      className="divide-y divide-line border-line not-last:border-b max-lg:block"
    >
      {stretch?.farHeight === undefined ? (
        children
      ) : (
        // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can have the focus.
        <tr aria-hidden="true" className="max-lg:block" style={{ height: stretch.farHeight }}>
          <td />
        </tr>
      )}
    </tbody>
  );
}

const orders = { up: 'ascending', down: 'descending' } as const;

function Head({ label, sort, direction, extra, share, shares }: Column & { shares: number }) {
  return (
    <th
      scope="col"
      style={share === undefined ? undefined : { width: `${(share / shares) * 100}%` }}
      className={`px-4 py-2.5 font-medium first:pl-5 ${extra ? EXTRA : ''}`}
      aria-sort={direction === undefined ? undefined : orders[direction]}
    >
      {sort === undefined ? (
        label
      ) : (
        <button type="button" className="-mx-1 rounded px-1 hover:text-ink" onClick={sort}>
          {label}
          <span aria-hidden="true">{direction === undefined ? ' ↕' : direction === 'up' ? ' ↑' : ' ↓'}</span>
        </button>
      )}
    </th>
  );
}

/** `place`: of a row that is not rendered with all others, counted from 0. */
export const Row = ({ children, place }: { children: ReactNode; place?: number | undefined }) => (
  <tr
    // The head is the first.
    aria-rowindex={place === undefined ? undefined : place + 2}
    className="align-top transition-colors duration-100 hover:bg-canvas max-lg:relative max-lg:grid max-md:grid-cols-2 md:max-lg:grid-cols-4 max-lg:gap-x-4 max-lg:gap-y-3 max-lg:p-4"
  >
    {children}
  </tr>
);

/**
 * Two facts in a cell: the second line is quiet. `free`: what people wrote, or an id, may be one long word. It breaks
 * anywhere, so that the table keeps its width. Other words stay whole.
 */
export function Cell({
  label,
  children,
  quiet,
  wide,
  free,
  extra,
}: {
  label?: string;
  children: ReactNode;
  quiet?: ReactNode;
  wide?: boolean;
  free?: boolean;
  extra?: boolean;
}) {
  return (
    <td
      className={`px-4 py-3 first:pl-5 max-lg:min-w-0 max-lg:p-0 max-lg:first:pl-0 ${wide ? 'max-lg:col-span-full' : ''} ${free ? 'wrap-anywhere lg:min-w-[110px] xl:min-w-[150px]' : ''} ${extra ? EXTRA : ''}`}
    >
      {label && <span className="mb-0.5 hidden text-xs text-faint max-lg:block">{label}</span>}
      <div className="min-w-0">{children}</div>
      {quiet && <div className={`text-sm text-muted ${free ? '' : 'break-words'}`}>{quiet}</div>}
    </td>
  );
}

/** The acts of a row. Never with an opacity of its own: the dialogs that they open are inside, and would be pale. */
export const Acts = ({ children }: { children: ReactNode }) => (
  <td className="w-12 px-3 py-2.5 text-right max-lg:absolute max-lg:top-2 max-lg:right-2 max-lg:w-auto max-lg:p-0">
    <div className="flex justify-end">{children}</div>
  </td>
);
