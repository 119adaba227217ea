/** Answers the first question of every report of abuse: who had the address at that time. */
import { parseAddress } from '../../kernel/net/address.ts';
import { invalid } from '../../kernel/problems/problem.ts';
import type { Db } from '../../store/database.ts';
import { type Holding, readHoldings } from './store.ts';

export type { Holding } from './store.ts';

const MOST_SHOWN = 100;

/** The address as the database writes it. Throws 422 if it is none. */
export function addressIn(text: string): string {
  const address = parseAddress(text);
  if (address !== null) return address.text;
  const detail = `"${text}" is not an address such as 203.0.113.7 or 2001:db8::1.`;
  throw invalid([{ pointer: '/address', code: 'invalid_format', detail }]);
}

/** The newest first; with a time, only who had the address then. */
export const whoHeld = (db: Db, address: string, at: Date | null): Promise<Holding[]> =>
  readHoldings(db, { address: addressIn(address), at, limit: MOST_SHOWN });
