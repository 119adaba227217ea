/** Keeps the rows of a list in their places while somebody points at them: nothing jumps away under the pointer. */
import { useMemo, useRef, useState } from 'react';
import type { Resource } from '../data/product.ts';

export interface Held {
  readonly rows: readonly Resource[];
  /** Rows that have come since, and are not shown yet. */
  readonly waiting: number;
  readonly isGone: (id: string) => boolean;
  readonly release: () => void;
  readonly handlers: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocus: () => void;
    readonly onBlur: (event: React.FocusEvent<HTMLElement>) => void;
  };
}

/** What is shown, and by their ids what there is now. */
function placesOf(
  rows: readonly Resource[],
  held: readonly Resource[] | null,
  keyOf: (row: Resource) => string,
) {
  if (held === null || held === rows) return { now: null, shown: rows };
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  const kept = held.map((row) => now.get(keyOf(row)) ?? row);
  const known = new Set(held.map(keyOf));
  // "Load more" adds rows at the end, where nobody points.
  const lastHeld = held.at(-1);
  const end = lastHeld === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(lastHeld));
  const added = end === -1 ? [] : rows.slice(end + 1);
  return { now, shown: [...kept, ...added.filter((row) => !known.has(keyOf(row)))] };
}

export function useHeld(rows: readonly Resource[], keyOf: (row: Resource) => string): Held {
  const [held, setHeld] = useState<readonly Resource[] | null>(null);
  const latest = useRef(rows);
  latest.current = rows;
  const hold = (): void => setHeld((before) => before ?? latest.current);
  const release = (): void => setHeld(null);
  const { now, shown } = useMemo(() => placesOf(rows, held, keyOf), [rows, held, keyOf]);
  return {
    rows: shown,
    waiting: now === null ? 0 : rows.length - shown.filter((row) => now.has(keyOf(row))).length,
    isGone: (id) => now !== null && !now.has(id),
    release,
    handlers: {
      onPointerEnter: hold,
      onPointerLeave: release,
      onFocus: hold,
      onBlur: ({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) release();
      },
    },
  };
}
