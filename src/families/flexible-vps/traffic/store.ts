/** The traffic of each machine in the current month, and until when it was counted in each location. */
import { type RawBuilder, sql } from 'kysely';
import type { Traffic } from '../../../engines/compute/port.ts';
import type { Db, Tx } from '../../../store/database.ts';

declare module '../../../store/database.ts' {
  interface Tables {
    vm_traffic: { vm_id: string; period_start: Date; in_bytes: number; out_bytes: number };
    vm_traffic_counted: { location: string; counted_until: Date };
  }
}

/** The traffic of a machine as JSON, in which times are strings. */
export type TrafficJson = {
  readonly period_start: string;
  readonly in_bytes: number;
  readonly out_bytes: number;
} | null;

/** A subquery for the traffic of a machine, to read it with the machine. `vmId` is the column with its id. */
export const trafficPart = (vmId: string): RawBuilder<TrafficJson> =>
  sql`(select to_jsonb(t) from vm_traffic t where t.vm_id = ${sql.ref(vmId)})`;

export async function readTraffic(db: Db, vmId: string): Promise<TrafficJson> {
  const { rows } = await sql<{ traffic: TrafficJson }>`
    select to_jsonb(t) as traffic from vm_traffic t where t.vm_id = ${vmId}`.execute(db);
  return rows[0]?.traffic ?? null;
}

/** Counting begins at `now` in a location where nothing was counted before. */
export async function countedUntil(db: Db, location: string, now: Date): Promise<Date> {
  await sql`
    insert into vm_traffic_counted (location, counted_until) values (${location}, ${now}::timestamptz)
    on conflict do nothing`.execute(db);
  const row = await db
    .selectFrom('vm_traffic_counted')
    .select('counted_until')
    .where('location', '=', location)
    .executeTakeFirstOrThrow();
  return row.counted_until;
}

export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db);
  return rows[0]?.now ?? new Date();
}

interface Counted {
  readonly location: string;
  readonly from: Date;
  readonly to: Date;
  readonly periodStart: Date;
  readonly traffic: readonly Traffic[];
}

const AT_ONCE = 5_000;

/** Adds the traffic to its month, unless another process has counted it already. Returns whether it was added. */
export async function addTraffic(
  tx: Tx,
  { location, from, to, periodStart, traffic }: Counted,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('vm_traffic_counted')
    .set({ counted_until: to })
    .where('location', '=', location)
    .where('counted_until', '=', from)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  for (let i = 0; i < traffic.length; i += AT_ONCE) {
    const some = traffic.slice(i, i + AT_ONCE);
    await sql`
      insert into vm_traffic as old (vm_id, period_start, in_bytes, out_bytes)
      select vms.id, ${periodStart}::timestamptz, t.in_bytes, t.out_bytes
      from unnest(${some.map(({ id }) => id)}::text[], ${some.map(({ account }) => account)}::text[],
          ${some.map(({ inBytes }) => inBytes)}::bigint[], ${some.map(({ outBytes }) => outBytes)}::bigint[])
          as t (id, account_id, in_bytes, out_bytes)
        join vms on vms.id = t.id and vms.account_id = t.account_id
      order by vms.id
      on conflict (vm_id) do update set period_start = excluded.period_start,
        in_bytes = excluded.in_bytes + case when old.period_start = excluded.period_start then old.in_bytes else 0 end,
        out_bytes =
          excluded.out_bytes + case when old.period_start = excluded.period_start then old.out_bytes else 0 end`.execute(
      tx,
    );
  }
  return true;
}
