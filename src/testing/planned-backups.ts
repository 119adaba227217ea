/** Compares the plan of the backups that policies are going to make with the policies, machines and backups. */
import { sql } from 'kysely';
import { heldBy } from '../families/flexible-vps/backup-policies/future/held.ts';
import { plannedBackups } from '../families/flexible-vps/backup-policies/future/store.ts';
import type { Db } from '../store/database.ts';

interface Line {
  readonly schedule_id: string;
  readonly resource_id: string;
  readonly configuration: unknown;
  readonly quantity: number;
}

const written = ({ schedule_id, resource_id, configuration, quantity }: Line): string =>
  `${quantity} × ${JSON.stringify(configuration)} for ${resource_id} by ${schedule_id}`;

function differences(what: string, kept: readonly string[], expected: readonly string[]): string[] {
  return [
    ...kept.filter((line) => !expected.includes(line)).map((line) => `${what} has ${line}`),
    ...expected.filter((line) => !kept.includes(line)).map((line) => `${what} lacks ${line}`),
  ];
}

export async function planFaults(db: Db, accountId: string): Promise<string[]> {
  const policies = await db
    .selectFrom('backup_policies')
    .selectAll()
    .where('account_id', '=', accountId)
    .execute();
  const expected: string[] = [];
  for (const policy of policies) {
    const { rows } = await plannedBackups(policy, heldBy(policy)).execute(db);
    expected.push(...rows.map(written));
  }
  const kept = await db
    .selectFrom('future_costs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('priced_as', '=', 'backup')
    .execute();
  const { rows: sums } = await sql<{ kept: string[]; expected: string[] }>`
    select
      (select coalesce(array_agg(concat_ws(' ', schedule_id, family, labels, coalesce(api_key_id, '-'), priced_as, configuration,
        quantity)), '{}') from future_totals where account_id = ${accountId}) as kept,
      (select coalesce(array_agg(concat_ws(' ', schedule_id, family, labels, key, priced_as, configuration, quantity)), '{}') from (
        select schedule_id, family, labels, coalesce(api_key_id, '-') as key, priced_as, configuration, sum(quantity) as quantity
        from future_costs where account_id = ${accountId} group by 1, 2, 3, 4, 5, 6 having sum(quantity) > 0) summed) as expected
    `.execute(db);
  return [
    ...differences('the plan', kept.map(written), expected),
    ...sums.flatMap((row) => differences('the sums', row.kept, row.expected)),
  ];
}
