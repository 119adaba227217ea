import type { ReactNode } from 'react';

/** Numbers that count, beside each other. */
export const FigureRow = ({ children }: { children: ReactNode }) => (
  <dl className="mb-8 grid gap-4 sm:grid-cols-2 xl:grid-cols-4">{children}</dl>
);

export const Figure = ({
  title,
  note,
  children,
}: {
  title: string;
  note?: ReactNode;
  children: ReactNode;
}) => (
  <div className="card px-5 py-4">
    <dt className="text-sm text-muted">{title}</dt>
    <dd className="mt-0.5 text-xl font-semibold tracking-tight wrap-anywhere">{children}</dd>
    {note && <dd className="mt-1 text-sm text-muted">{note}</dd>}
  </div>
);
