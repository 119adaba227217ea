import type { ReactNode } from 'react';

/** What is known about one thing: a name on the left, its value on the right. On phones below each other. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className="card divide-y divide-line">{children}</dl>
);

export const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[160px_minmax(0,1fr)] md:px-5">
    <dt className="text-sm text-muted">{title}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);
