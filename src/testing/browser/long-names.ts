/** Names as long as they may be and without a place to break, which pages must show without growing. */
import { newId } from '../../kernel/ids.ts';
import type { TestApp } from '../app.ts';
import type { Seeded } from './seed.ts';

const KEY_NAME = 64;
const PERSON_NAME = 100;
const NOTE = 100;
const NOTES = 255;
const EMAIL = 254;
const ADDRESS = '2001:0db8:1234:5678:9abc:def0:1234:5678';

/** A capital is wide, and a word of them breaks nowhere by itself. */
const stretched = (text: string, length: number): string => text.padEnd(length, 'W');

/** Lengthens what people have named in the account. What tests look for still begins the names. */
export async function stretchNames(
  { services: { db }, registry }: TestApp,
  { account, keys, personId }: Seeded,
): Promise<void> {
  const { endpoints } = registry;
  const longest = (texts: readonly string[]): string =>
    texts.reduce((long, text) => (text.length > long.length ? text : long), '');
  const operation = longest(endpoints.map(({ id }) => id));
  const all = async (table: 'api_keys' | 'members', length: number): Promise<void> => {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'name'])
      .where('account_id', '=', account.id)
      .execute();
    for (const { id, name } of rows)
      await db
        .updateTable(table)
        .set({ name: stretched(name, length) })
        .where('id', '=', id)
        .execute();
  };
  await all('api_keys', KEY_NAME);
  await all('members', PERSON_NAME);
  const name = stretched('Ada', PERSON_NAME);
  const ofAccount = ['account_id', '=', account.id] as const;
  await db
    .updateTable('accounts')
    .set({ name: stretched('Acme', PERSON_NAME) })
    .where('id', '=', account.id)
    .execute();
  await db.updateTable('people').set({ name }).where('id', '=', personId).execute();
  await db
    .updateTable('api_keys')
    .set({
      owner_name: name,
      notes: stretched('', NOTES),
      last_used_operation: operation,
      last_used_ip: ADDRESS,
    })
    .where(...ofAccount)
    .execute();
  await db
    .updateTable('ip_allowlist_entries')
    .set({ note: stretched('Office', NOTE), created_by: name })
    .where(...ofAccount)
    .execute();
  const key_name = stretched(keys['ci-production']!.name, KEY_NAME);
  await db
    .updateTable('key_denials')
    .set({
      key_name,
      operation_id: operation,
      path_template: longest(endpoints.map(({ path }) => path)),
      required_permission: longest(endpoints.map(({ permission }) => permission)),
      client_ip: ADDRESS,
    })
    .where(...ofAccount)
    .execute();
  await db
    .updateTable('members')
    .set({ email: `${'w'.repeat(EMAIL - '@example.com'.length)}@example.com` })
    .where(...ofAccount)
    .where('status', '=', 'invited')
    .where('email', 'like', 'alan@%')
    .execute();
  const passkey = { id: newId('passkey'), person_id: personId, name: stretched('Laptop', KEY_NAME) };
  await db
    .insertInto('passkeys')
    .values({
      ...passkey,
      credential_id: passkey.id,
      public_key: Buffer.alloc(1),
      counter: 0,
      transports: [],
      last_used_at: null,
    })
    .execute();
}
