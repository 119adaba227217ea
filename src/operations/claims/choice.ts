/** Chooses how many operations to start of each cell, while their groups have room. */
import type { Cell, Slots } from './slots.ts';

export interface Wanted extends Cell {
  readonly count: number;
}

export interface Choice {
  readonly wanted: readonly Wanted[];
  /** The last account that got a slot. The next choice begins with the account after it. */
  readonly cursor: string;
}

/** The accounts after the cursor come first. */
function accountsFrom(cursor: string, cells: readonly Cell[]): Cell[][] {
  const accounts = new Map<string, Cell[]>();
  for (const cell of cells) {
    const own = accounts.get(cell.account_id);
    if (own === undefined) accounts.set(cell.account_id, [cell]);
    else own.push(cell);
  }
  const rank = (id: string): string => `${id > cursor ? 0 : 1}${id}`;
  return [...accounts].sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1)).map(([, own]) => own);
}

/**
 * Gives slots in rounds, one to each account, and within an account to one cell after the other. A cell whose groups
 * are full is left out: groups only become fuller during the choice.
 */
export function choose(cells: readonly Cell[], slots: Slots, cursor: string): Choice {
  const counts = new Map<Cell, number>();
  let accounts = accountsFrom(cursor, cells);
  let last = cursor;
  while (accounts.length > 0) {
    for (const own of accounts) {
      for (let tries = own.length; tries > 0; tries--) {
        const cell = own.shift() as Cell;
        if (!slots.take(cell)) continue;
        counts.set(cell, (counts.get(cell) ?? 0) + 1);
        own.push(cell);
        last = cell.account_id;
        break;
      }
    }
    accounts = accounts.filter(({ length }) => length > 0);
  }
  return { wanted: [...counts].map(([cell, count]) => ({ ...cell, count })), cursor: last };
}
