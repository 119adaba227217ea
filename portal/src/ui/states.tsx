import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ProblemNotice } from './notice.tsx';

export function PageHead({ title, children, act }: { title: string; children?: ReactNode; act?: ReactNode }) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
      <div className="min-w-0">
        <h1 className="text-2xl">{title}</h1>
        {children && <p className="mt-1 max-w-[68ch] text-muted">{children}</p>}
      </div>
      {act && <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-1">{act}</div>}
    </header>
  );
}

export function Section({
  title,
  children,
  act,
  note,
}: {
  title: string;
  children: ReactNode;
  act?: ReactNode;
  note?: ReactNode;
}) {
  return (
    <section className="mb-8">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 className="text-lg">{title}</h2>
          {note && <p className="max-w-[68ch] text-sm text-muted">{note}</p>}
        </div>
        {act}
      </div>
      {children}
    </section>
  );
}

/** One sentence and one button; below it the same as an API call. */
export function Empty({ title, children, act }: { title: string; children?: ReactNode; act?: ReactNode }) {
  return (
    <div className="card grid justify-items-center gap-3 px-6 py-12 text-center">
      <p className="text-lg font-medium">{title}</p>
      {children && <div className="max-w-[52ch] text-muted">{children}</div>}
      {act}
    </div>
  );
}

/** Grey lines of the size of what is coming. They appear only if the answer takes longer than a blink. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div
      role="status"
      aria-label="Loading"
      className={`card divide-y divide-line transition-opacity ${late ? '' : 'opacity-0'}`}
    >
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike.
        <div key={row} className="flex animate-[breathe_1.4s_infinite] items-center gap-6 px-5 py-[19px]">
          <span className="h-3 w-1/4 rounded bg-line" />
          <span className="h-3 flex-1 rounded bg-line" />
          <span className="h-3 w-16 rounded bg-line" />
        </div>
      ))}
    </div>
  );
}

/** What was loaded stays on the page when a later reading fails. */
export function Loaded<Data>({
  query,
  rows,
  children,
}: {
  query: UseQueryResult<Data>;
  rows?: number;
  children: (data: Data) => ReactNode;
}) {
  const retry = (): void => void query.refetch();
  if (query.data === undefined)
    return query.isError ? (
      <ProblemNotice error={query.error} retry={retry} />
    ) : (
      <Skeleton rows={rows ?? 4} />
    );
  return (
    <>
      {query.isError && (
        <div className="mb-4">
          <ProblemNotice error={query.error} retry={retry} />
        </div>
      )}
      {children(query.data)}
    </>
  );
}
