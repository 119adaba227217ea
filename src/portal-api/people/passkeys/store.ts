import { type Insertable, type Selectable, sql } from 'kysely';
import '../tables.ts';
import type { Db, Tables, Tx } from '../../../store/database.ts';

export type PasskeyRow = Selectable<Tables['passkeys']>;

export async function insertPasskey(tx: Tx, passkey: Insertable<Tables['passkeys']>): Promise<PasskeyRow> {
  return tx.insertInto('passkeys').values(passkey).returningAll().executeTakeFirstOrThrow();
}

export async function findPasskeys(db: Db, personId: string): Promise<PasskeyRow[]> {
  return db.selectFrom('passkeys').selectAll().where('person_id', '=', personId).orderBy('id').execute();
}

export async function findCredential(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

export async function notePasskeyUse(tx: Tx, id: string, counter: number): Promise<void> {
  await sql`
    update passkeys set counter = ${counter}, last_used_at = clock_timestamp() where id = ${id}`.execute(tx);
}

export async function deletePasskey(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('id', '=', id).execute();
}

export async function deletePasskeys(tx: Tx, personId: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('person_id', '=', personId).execute();
}
