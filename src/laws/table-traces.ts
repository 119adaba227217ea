/** Collects the rows that mention an account or a resource, in a form that can be compared between two runs. */
import { sql } from 'kysely';
import type { TestApp } from '../testing/app.ts';

export interface Trace {
  readonly table: string;
  readonly row: Record<string, unknown>;
}

/**
 * Tables that follow from others: the times of the spans are in their amounts, and what is taken back stays as negatives.
 * `meter-agreement.ts` and `count-agreement.ts` compare them with the others.
 */
const DERIVED = ['kept_counts', 'meter_entries', 'meter_totals'];

/** All rows of all tables that contain one of these ids, without derived tables. */
export async function tracesOf({ services: { db } }: TestApp, ids: readonly string[]): Promise<Trace[]> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all(${DERIVED}::text[])`.execute(
    db,
  );
  const wanted = ids.join('|');
  const queries = tables.rows.map(
    ({ name }) => sql`
      select ${name}::text as "table", to_jsonb(t) as "row" from ${sql.table(name)} t
      where to_jsonb(t)::text ~ ${wanted}`,
  );
  return (await sql<Trace>`${sql.join(queries, sql` union all `)}`.execute(db)).rows;
}

/** Numbers of attempts, random values and hashes may differ between two runs with the same result. */
const MAY_DIFFER = new Set([
  'attempt',
  'wakes',
  // Of a firewall at the engine: each attempt has a larger one.
  'revision',
  'public_id',
  'hash',
  'prev_hash',
  'head_hash',
  'sealed',
  'sealed_password_hash',
  'private_key',
  'next_private_key',
  'preshared_key',
]);

/** Larger numbers are times in milliseconds. */
const A_MOMENT = 1e12;

function likeAny(name: string, value: unknown): unknown {
  const isAny = name === 'id' || name === 'sizeBytes' || name === 'size_bytes';
  if (typeof value === 'number') return isAny || value > A_MOMENT ? 'a number' : value;
  if (typeof value !== 'string') return value;
  return (
    value
      .replaceAll(/\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26}/g, '$1_*')
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, 'a time')
      .replaceAll(/\bwalk-\d+-\d+/g, 'a name')
      .replaceAll(/\bhost-\d+\b/g, 'a host')
      .replaceAll(/(?<![\w+/])[\w+/]{43}=/g, 'a WireGuard key')
      .replaceAll(/\bfd[0-9a-f]{2}:[0-9a-f:]+(\/64)?/g, 'a prefix')
      .replaceAll(/\b02(:[0-9a-f]{2}){5}\b/g, 'a MAC')
      .replaceAll(/\$6\$(rounds=\d+\$)?[./\w]+\$[./\w]+/g, 'a hash')
      // The digest of a disk, which differs because the disk contains such hashes and names.
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'a digest')
      .replaceAll(/\b10\.10[0-9]\.\d+\.\d+\b|\b2001:db8:[0-9a-f:]+/g, 'a public address')
      // The name of an address until somebody gives it another.
      .replaceAll(/\b10-10[0-9]-\d+-\d+\b|\b2001-db8-[0-9a-f-]+/g, 'the name of a public address')
  );
}

const normalise = ({ table, row }: Trace): string => {
  const kept = Object.entries(row).filter(([name]) => !MAY_DIFFER.has(name));
  const text = JSON.stringify(Object.fromEntries(kept), (name, value) =>
    MAY_DIFFER.has(name) ? undefined : likeAny(name, value),
  );
  return `${table} ${text}`;
};

export const comparable = (traces: readonly Trace[]): string[] => traces.map(normalise).sort();

/** Tables that keep references to deleted resources on purpose. */
const HISTORY = new Set([
  'address_holdings',
  'audit_entries',
  'events',
  'idempotency_keys',
  'machine_effects',
  'meter_readings',
  'meter_spans',
  'operations',
  // Rows of an operation, deleted with it. They count only until it has ended.
  'pending_costs',
  'webhook_deliveries',
]);

/** An address in quarantine has its former id until somebody gets it. */
const isInQuarantine = ({ table, row }: Trace): boolean =>
  table === 'public_addresses' && row['account_id'] === null;

/** The tables of these rows, without those that a deleted resource leaves behind on purpose. */
export const tablesWithoutHistory = (traces: readonly Trace[]): string[] =>
  traces.filter((trace) => !HISTORY.has(trace.table) && !isInQuarantine(trace)).map(({ table }) => table);
