import { type Selectable, sql } from 'kysely';
import type { AccountStatus } from '../../../kernel/access/tables.ts';
import type { Db, Tables } from '../../../store/database.ts';

interface Product {
  readonly family: string;
  readonly enabled: boolean;
  readonly since: string | null;
  readonly reason: string | null;
}

type ProfileRow = Omit<Selectable<Tables['accounts']>, 'status'> & {
  readonly status: Exclude<AccountStatus, 'closed'>;
  readonly products: Product[];
};

/** The status `closed` is impossible here, because keys of a closed account are refused. */
export async function readProfile(db: Db, accountId: string): Promise<ProfileRow> {
  const { rows } = await sql<ProfileRow>`
    select a.*, coalesce((
      select jsonb_agg(jsonb_build_object('family', p.family, 'enabled', p.enabled, 'reason', p.reason,
        'since', to_char(p.since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
      from account_products p where p.account_id = a.id), '[]') as products
    from accounts a where a.id = ${accountId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error(`The account ${accountId} of a live key does not exist.`);
  return row;
}
