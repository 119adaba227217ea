/** The single row of `instance`: the cursor secret and the fingerprint of the key that seals secrets. */
import type { Generated } from 'kysely';
import type { Db } from './database.ts';

interface InstanceTable {
  only_row: Generated<boolean>;
  cursor_secret: Buffer;
  secret_key_fingerprint: string | null;
  created_at: Generated<Date>;
}

declare module './database.ts' {
  interface Tables {
    instance: InstanceTable;
  }
}

/**
 * Returns the values that all processes on one database share and that the provider does not have to
 * configure.
 */
export async function readInstance(db: Db): Promise<{ cursor_secret: Buffer; created_at: Date }> {
  return db.selectFrom('instance').select(['cursor_secret', 'created_at']).executeTakeFirstOrThrow();
}

/**
 * Stores the fingerprint if none is stored yet, so the first process to start decides. Returns the stored
 * fingerprint.
 */
export async function keepKeyFingerprint(db: Db, fingerprint: string): Promise<string> {
  await db
    .updateTable('instance')
    .set({ secret_key_fingerprint: fingerprint })
    .where('secret_key_fingerprint', 'is', null)
    .execute();
  return (await readKeyFingerprint(db)) ?? fingerprint;
}

export async function readKeyFingerprint(db: Db): Promise<string | null> {
  const row = await db.selectFrom('instance').select('secret_key_fingerprint').executeTakeFirstOrThrow();
  return row.secret_key_fingerprint;
}

export async function forgetKeyFingerprint(db: Db): Promise<void> {
  await db.updateTable('instance').set({ secret_key_fingerprint: null }).execute();
}
