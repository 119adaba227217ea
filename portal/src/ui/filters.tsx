import type { ReactNode } from 'react';

/** The filters above a list. On phones they stand below each other. */
export const Filters = ({ label, children }: { label: string; children: ReactNode }) => (
  <search aria-label={label} className="mb-4 grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
    {children}
  </search>
);
