/**
 * The cost that schedules are going to cause: how many resources of which configuration each of them will add. It is
 * priced when it is read, so price changes need no rows to be written.
 */
import { type RawBuilder, sql } from 'kysely';
import '../../kernel/access/tables.ts';
import type { Db } from '../../store/database.ts';

/** Who set a schedule. Both are null if it was set before this was recorded. */
export interface Setter {
  readonly api_key_id: string | null;
  readonly member_id: string | null;
}

/** What a schedule is going to add for one resource, such as backups of a machine. */
export interface Planned {
  readonly schedule_id: string;
  readonly resource_id: string;
  readonly account_id: string;
  readonly family: string;
  /** The labels that the added resources will have. */
  readonly labels: Record<string, string>;
  readonly priced_as: string;
  readonly configuration: Record<string, unknown>;
  readonly quantity: number;
}

/** The rows of one schedule, or those of one resource that add resources of one priced type. */
export type PlanScope =
  | { readonly scheduleId: string }
  | { readonly resourceId: string; readonly pricedAs: string };

declare module '../../store/database.ts' {
  interface Tables {
    future_costs: Planned & Setter & { set_at: Date };
    /** The sums of `future_costs`, kept by triggers. */
    future_totals: Omit<Planned, 'resource_id'> & Pick<Setter, 'api_key_id'>;
  }
}

const inScope = (scope: PlanScope) =>
  'scheduleId' in scope
    ? sql<boolean>`f.schedule_id = ${scope.scheduleId}`
    : sql<boolean>`f.resource_id = ${scope.resourceId} and f.priced_as = ${scope.pricedAs}`;

/** Until the transaction ends, no other one plans for the resource. The plan is computed after this statement. */
export async function lockPlan(db: Db, scope: PlanScope): Promise<void> {
  await sql`select from future_costs f where ${inScope(scope)} order by f.resource_id for update`.execute(db);
}

/** Replaces the rows of the scope by those of the query. Rows that exist keep their setter. */
export async function writePlan(
  db: Db,
  scope: PlanScope,
  planned: RawBuilder<Planned>,
  { api_key_id, member_id }: Setter,
): Promise<void> {
  await sql`
    with planned as materialized (${planned}), ended as (
      delete from future_costs f where ${inScope(scope)} and not exists (
        select from planned p where p.schedule_id = f.schedule_id and p.resource_id = f.resource_id))
    insert into future_costs as f (schedule_id, resource_id, account_id, family, labels, priced_as, configuration,
      quantity, api_key_id, member_id)
    select schedule_id, resource_id, account_id, family, labels, priced_as, configuration, quantity,
      ${api_key_id}, ${member_id} from planned
    on conflict (schedule_id, resource_id) do update
    set labels = excluded.labels, configuration = excluded.configuration, quantity = excluded.quantity
    where (f.labels, f.configuration, f.quantity) is distinct from
      (excluded.labels, excluded.configuration, excluded.quantity)`.execute(db);
}

/** Makes this caller the one whose budgets the rows count for. */
export async function takeOver(db: Db, scope: PlanScope, setter: Setter): Promise<void> {
  const { api_key_id, member_id } = setter;
  await sql`
    update future_costs f set api_key_id = ${api_key_id}, member_id = ${member_id}, set_at = now()
    where ${inScope(scope)}`.execute(db);
}

export async function setterOf(db: Db, scheduleId: string, resourceId: string) {
  return db
    .selectFrom('future_costs')
    .select(['api_key_id', 'member_id', 'quantity'])
    .where('schedule_id', '=', scheduleId)
    .where('resource_id', '=', resourceId)
    .executeTakeFirst();
}

export type Future = Pick<Planned, 'family' | 'labels' | 'priced_as' | 'configuration' | 'quantity'> &
  Pick<Setter, 'api_key_id'>;

const grouped = sql`family, labels, api_key_id, priced_as, configuration`;

/** The plan of one schedule or one resource, added up. */
export async function planIn(db: Db, scope: PlanScope): Promise<Future[]> {
  const table = 'scheduleId' in scope ? sql.table('future_totals') : sql.table('future_costs');
  const { rows } = await sql<Future>`
    select ${grouped}, sum(quantity)::int as quantity from ${table} f where ${inScope(scope)}
    group by ${grouped}`.execute(db);
  return rows;
}

/** The plans of an account, added up. The number of rows does not grow with the number of resources. */
export async function futureOf(db: Db, accountId: string): Promise<Future[]> {
  const { rows } = await sql<Future>`
    select ${grouped}, sum(quantity)::int as quantity from future_totals where account_id = ${accountId}
    group by ${grouped}`.execute(db);
  return rows;
}
