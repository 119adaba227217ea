import type { Insertable } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { readResources } from '../../../kernel/listing/store.ts';
import type { Page } from '../../../kernel/pages/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { SshKeyRow } from './table.ts';

type ListCall = Parameters<typeof readResources>[0] & Pick<Call, 'db'>;

/** Of a fingerprint in either form, as `ssh-keygen -l` prints it. */
export function listSshKeys(
  call: ListCall,
  endpoint: string,
  fingerprint: string | undefined,
): Promise<Page<SshKeyRow>> {
  let query = call.db
    .selectFrom('ssh_keys')
    .selectAll('ssh_keys')
    .where('ssh_keys.account_id', '=', call.caller.account.id);
  if (fingerprint !== undefined) {
    const column = fingerprint.startsWith('MD5:') ? 'fingerprint_md5' : 'fingerprint_sha256';
    query = query.where(`ssh_keys.${column}`, '=', fingerprint);
  }
  return readResources(call, 'ssh_keys', endpoint, query);
}

export async function findSshKey(
  db: Db,
  accountId: string,
  by: 'id' | 'name' | 'fingerprint_sha256',
  value: string,
): Promise<SshKeyRow | undefined> {
  return db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(by, '=', value)
    .executeTakeFirst();
}

export async function lockSshKey(db: Db, accountId: string, id: string): Promise<SshKeyRow | undefined> {
  return db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** In the order they were asked for, without those that are not there or belong to others. */
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

export async function insertSshKey(db: Db, row: Insertable<Tables['ssh_keys']>): Promise<SshKeyRow> {
  return db.insertInto('ssh_keys').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function removeSshKey(db: Db, id: string): Promise<void> {
  await db.deleteFrom('ssh_keys').where('id', '=', id).execute();
}
