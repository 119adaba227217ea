/** What somebody types to find a resource by its address: the beginning of an address, all of it, or a range. */
import { isIP } from 'node:net';
import type { RawBuilder } from 'kysely';

export interface AskedAddress {
  /** The beginning of an address, in the spelling of the database: `203.0.`, `2001:db8`. */
  readonly start: string;
  /** The range, or the whole address; null while it is being typed. */
  readonly block: string | null;
}

/** A query for the column `id`: resources of the account at such an address. */
export type AddressSearch = (accountId: string, asked: AskedAddress) => RawBuilder<unknown>;

declare module '../../../kernel/registry.ts' {
  interface Family {
    /** How the inventory finds resources by their addresses. */
    readonly addressSearches?: readonly AddressSearch[];
  }
}

const ADDRESS = /^([\da-f]+[.:][\da-f.:]*)(?:\/(\d{0,3}))?$/;

/** Null: a name rather than an address. */
export function askedAddress(q: string): AskedAddress | null {
  const [, start, length] = ADDRESS.exec(q.toLowerCase()) ?? [];
  if (start === undefined) return null;
  const version = isIP(start);
  if (version === 0) return { start, block: null };
  if (length === undefined || length === '') return { start, block: start };
  return { start, block: Number(length) <= (version === 4 ? 32 : 128) ? `${start}/${length}` : null };
}
