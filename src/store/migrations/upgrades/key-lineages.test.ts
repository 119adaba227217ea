import { expect, it } from 'vitest';
import { rollKey } from '../../../portal-api/keys/roll.ts';
import { createAccount, createKey, type TestAccount } from '../../../testing/accounts.ts';
import { databaseAt, dropOlderDatabases } from '../../../testing/older-database.ts';
import { rules, staff } from '../../../testing/portal.ts';
import type { Db } from '../../database.ts';
import { migrate } from '../migrate.ts';

dropOlderDatabases();

/** Keys as former versions rolled them: each names the key that replaced it, and nothing else connects them. */
async function chainOf(db: Db, account: TestAccount, name: string, length: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < length; i++) {
    const { id } = await createKey(db, account, { name });
    const before = ids.at(-1);
    if (before !== undefined)
      await db
        .updateTable('api_keys')
        .set({ replaced_by: id, status: i === 1 ? 'revoked' : 'active' })
        .where('id', '=', before)
        .execute();
    ids.push(id);
  }
  return ids;
}

const lineages = async (db: Db): Promise<Record<string, string>> => {
  const rows = await db.selectFrom('api_keys').select(['id', 'lineage']).execute();
  return Object.fromEntries(rows.map(({ id, lineage }) => [id, lineage]));
};

it('an upgrade gives all keys of a chain the id of its first key, and others their own', async () => {
  const { db } = await databaseAt('0034-fair-slots');
  const [account, other] = [await createAccount(db), await createAccount(db)];
  // The keys of several chains are written by turns, so that neither their order nor their account tells the chain.
  const chains = await Promise.all([
    chainOf(db, account, 'robot', 3),
    chainOf(db, account, 'deploy', 2),
    chainOf(db, other, 'robot', 4),
    chainOf(db, account, 'alone', 1),
  ]);
  await migrate(db);
  const expected = chains.flatMap((ids) => ids.map((id) => [id, ids[0]]));
  expect(await lineages(db)).toEqual(Object.fromEntries(expected));
});

it('a key that was rolled twice before the upgrade is rolled within the same chain after it', async () => {
  const { db } = await databaseAt('0034-fair-slots');
  const account = await createAccount(db);
  const chain = await chainOf(db, account, 'robot', 3);
  await migrate(db);
  const input = { account_id: account.id, key_id: chain[2] ?? '', overlap: '24h' as const };
  const { key } = await rollKey(db, staff, input, rules);
  expect(await lineages(db)).toEqual(Object.fromEntries([...chain, key.id].map((id) => [id, chain[0]])));
});
