import type { ReactNode } from 'react';

/** A table on wide screens; on phones each row is a small card, with the name of the column beside each value. */
export function Table({
  columns,
  label,
  children,
}: {
  columns: readonly string[];
  label: string;
  children: ReactNode;
}) {
  return (
    <div className="card overflow-visible">
      <table aria-label={label} className="w-full border-collapse text-left max-md:block">
        <thead className="border-b border-line text-xs text-muted max-md:sr-only">
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className="px-4 py-2.5 font-medium first:pl-5">
                {column === 'Acts' ? <span className="sr-only">{column}</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">{children}</tbody>
      </table>
    </div>
  );
}

export const Row = ({ children }: { children: ReactNode }) => (
  <tr className="align-top transition-colors duration-100 hover:bg-canvas max-md:relative max-md:grid max-md:grid-cols-2 max-md:gap-x-4 max-md:gap-y-3 max-md:p-4">
    {children}
  </tr>
);

/** Two facts in a cell: the second line is quiet. */
export function Cell({
  label,
  children,
  quiet,
  wide,
}: {
  label?: string;
  children: ReactNode;
  quiet?: ReactNode;
  wide?: boolean;
}) {
  return (
    <td
      className={`px-4 py-3 first:pl-5 max-md:min-w-0 max-md:p-0 max-md:first:pl-0 ${wide ? 'max-md:col-span-2' : ''}`}
    >
      {label && <span className="mb-0.5 hidden text-xs text-faint max-md:block">{label}</span>}
      <div className="min-w-0">{children}</div>
      {quiet && <div className="text-sm break-words text-muted">{quiet}</div>}
    </td>
  );
}

/** The acts of a row. Never with an opacity of its own: the dialogs that they open are inside, and would be pale. */
export const Acts = ({ children }: { children: ReactNode }) => (
  <td className="w-12 px-3 py-2.5 text-right max-md:absolute max-md:top-2 max-md:right-2 max-md:w-auto max-md:p-0">
    <div className="flex justify-end">{children}</div>
  </td>
);
