import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import type { AllowlistMode } from '../access/tables.ts';

export const denialCauses = ['permission', 'ip_restriction'] as const;
export type DenialCause = (typeof denialCauses)[number];

export interface Denial {
  /** Given when it happened, not when it was written: lists are in the order of `first_at` by it. */
  readonly id: string;
  readonly account_id: string;
  readonly cause: DenialCause;
  readonly code: string;
  readonly enforced: boolean;
  readonly allowlist_mode: AllowlistMode;
  readonly key_id: string;
  readonly key_public_id: string;
  readonly key_name: string;
  readonly client_ip: string;
  readonly method: string;
  readonly path_template: string;
  readonly operation_id: string;
  readonly required_permission: string | null;
  readonly denied_by: string[] | null;
  readonly user_agent: string;
  readonly count: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly last_request_id: string;
}

declare module '../../store/database.ts' {
  interface Tables {
    key_denials: { [K in keyof Denial]: Denial[K] };
    key_denial_drops: { account_id: string; day: Date; count: number };
  }
}

/** Equal ones (key, address, operation, cause) within ten minutes of the first are one row with a count. */
export async function writeDenials(db: Db, denials: readonly Denial[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const denial of denials) {
      const { numAffectedRows } = await sql`
        update key_denials set count = count + ${denial.count}, last_at = ${denial.last_at},
          last_request_id = ${denial.last_request_id}, user_agent = ${denial.user_agent}, code = ${denial.code},
          denied_by = ${denial.denied_by}
        where id = (
          select id from key_denials
          where key_id = ${denial.key_id} and client_ip = ${denial.client_ip} and operation_id = ${denial.operation_id}
            and cause = ${denial.cause} and enforced = ${denial.enforced}
            and first_at > ${denial.first_at}::timestamptz - interval '10 minutes'
          order by first_at desc limit 1)`.execute(tx);
      if (numAffectedRows === 0n) {
        await tx
          .insertInto('key_denials')
          .values(denial)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    }
  });
}

export async function writeDrops(
  db: Db,
  drops: readonly { accountId: string; count: number }[],
): Promise<void> {
  await sql`
    insert into key_denial_drops (account_id, day, count)
    select d.account_id, current_date, d.count
    from unnest(${drops.map((d) => d.accountId)}::text[], ${drops.map((d) => d.count)}::int[]) as d(account_id, count)
    on conflict (account_id, day) do update set count = key_denial_drops.count + excluded.count`.execute(db);
}
