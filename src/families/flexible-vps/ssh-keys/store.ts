import type { Db } from '../../../store/database.ts';
import type { SshKeyRow } from './table.ts';

export async function findByFingerprint(
  db: Db,
  accountId: string,
  sha256: string,
): Promise<SshKeyRow | undefined> {
  return db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('fingerprint_sha256', '=', sha256)
    .executeTakeFirst();
}

/** In the order of `ids`, without duplicates and without keys that the account does not have. */
export async function readSshKeys(db: Db, accountId: string, ids: readonly string[]): Promise<SshKeyRow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
}
