import { readPublicId } from '../kernel/access/key-format.ts';
import type { Db } from '../store/database.ts';

const KEY = /hpk1_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}/g;

/** The owners of the keys whose secrets the text contains. */
export async function ownersOfShownKeys(db: Db, text: string): Promise<(string | null)[]> {
  const shown = [...text.matchAll(KEY)].map(([key]) => readPublicId(key) ?? '');
  if (shown.length === 0) return [];
  const rows = await db.selectFrom('api_keys').select('owner_id').where('public_id', 'in', shown).execute();
  return rows.map(({ owner_id }) => owner_id);
}
