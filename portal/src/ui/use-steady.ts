import { type PointerEvent, useRef, useState } from 'react';

/**
 * Rows that change by themselves keep their places while the pointer is over them, so that nobody presses the wrong one.
 * Their contents go on changing. Spread `hold` on what surrounds them.
 */
export function useSteady<Row extends { readonly id: string }>(rows: readonly Row[]) {
  const [held, setHeld] = useState(false);
  const kept = useRef<readonly Row[]>(rows);
  if (held) {
    const now = new Map(rows.map((row) => [row.id, row]));
    const known = new Set(kept.current.map(({ id }) => id));
    // What was loaded because somebody asked for more is added at the end; what is new at the top waits.
    const last = rows.findLastIndex(({ id }) => known.has(id));
    kept.current = [...kept.current.map((row) => now.get(row.id) ?? row), ...rows.slice(last + 1)];
  } else kept.current = rows;
  const hold = {
    onPointerEnter: ({ pointerType }: PointerEvent) => setHeld(pointerType === 'mouse'),
    onPointerLeave: () => setHeld(false),
  };
  return { rows: kept.current, hold };
}
