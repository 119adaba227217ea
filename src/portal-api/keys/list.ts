import type { Db } from '../../store/database.ts';
import { findKeys } from './store.ts';
import { type KeyView, viewKey } from './view.ts';

/** Oldest first. `which` (an id, a public id or a name) returns only exact matches. */
export async function listKeys(db: Db, accountId: string, which?: string): Promise<KeyView[]> {
  return (await findKeys(db, accountId, which)).map(viewKey);
}
