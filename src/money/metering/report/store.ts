/** Reads the entries of the meter for a usage report, added up by what the report groups by. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { dayName } from '../calendar.ts';
import type { Entry } from '../totals/entry.ts';
import {
  ACCOUNT,
  detailsOf,
  readEntry,
  type StoredEntry,
  summed,
  totalsOf,
  type Within,
} from '../totals/store.ts';
import type { Grouping, UsageKey } from '../usage.ts';

export interface ReportEntry extends Entry {
  readonly key: UsageKey;
  readonly sku: string;
  /** Whether it was known on the day of `Asked.early`. */
  readonly isEarly: boolean;
}

export interface Asked extends Within {
  readonly early: number;
}

interface StoredReportEntry extends StoredEntry {
  key: UsageKey;
  sku: string;
  is_early: boolean;
}

async function read(
  db: Db,
  key: RawBuilder<unknown>,
  entries: RawBuilder<unknown>,
  { early }: Asked,
): Promise<ReportEntry[]> {
  const { rows } = await sql<StoredReportEntry>`
    select ${key} as key, kind, month::text as month, at, known_day <= ${dayName(early)}::date as is_early, sku, unit,
      pace, cap_ms, ${summed}
    from (${entries}) entries where kind <> 'commitment'
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9`.execute(db);
  return rows.map((row) => ({ ...readEntry(row), key: row.key, sku: row.sku, isEarly: row.is_early }));
}

const KEYS = {
  family: sql`jsonb_build_object('family', family)`,
  type: sql`jsonb_build_object('family', family, 'resource_type', type)`,
  location: sql`jsonb_build_object('location', location)`,
  none: sql`'{}'::jsonb`,
} as const;

/** The entries of the whole account, by sums. */
export async function readTotals(
  db: Db,
  accountId: string,
  asked: Asked,
  by: keyof typeof KEYS,
): Promise<ReportEntry[]> {
  return read(db, KEYS[by], totalsOf(accountId, { ...asked, scopes: [ACCOUNT] }), asked);
}

/** A page of groups that are as many as the resources of the account. `after` is the last group of the page before. */
export interface Page {
  readonly after: readonly string[] | null;
  readonly limit: number;
}

interface GroupPage {
  readonly entries: readonly ReportEntry[];
  /** The last group of the page, if there are more. */
  readonly last: readonly string[] | null;
}

async function readPage(
  db: Db,
  accountId: string,
  asked: Asked,
  columns: readonly RawBuilder<unknown>[],
  key: RawBuilder<unknown>,
  { after, limit }: Page,
): Promise<GroupPage> {
  const names = columns.map((_, i) => sql.ref(`group_${i}`));
  const group = sql.join(names);
  const named = sql.join(columns.map((column, i) => sql`${column} as ${names[i]}`));
  const details = sql`select *, ${named} from (${detailsOf(accountId, asked)}) details`;
  const place = (values: readonly string[]) => sql.join(values.map((value) => sql`${value}::text`));
  const isAfter = after === null ? sql`true` : sql`(${group}) > (${place(after)})`;
  const { rows } = await sql<{ group: string[] }>`
    select array[${group}] as "group" from (${details}) entries where kind <> 'commitment' and ${isAfter}
    group by ${group} order by ${group} limit ${limit + 1}`.execute(db);
  const groups = rows.map((row) => row.group);
  const last = groups.length > limit ? (groups[limit - 1] ?? null) : null;
  const [first] = groups;
  const end = last ?? groups.at(-1);
  if (first === undefined || end === undefined) return { entries: [], last: null };
  const within = sql`select * from (${details}) entries
    where (${group}) >= (${place(first)}) and (${group}) <= (${place(end)})`;
  return { entries: await read(db, key, within, asked), last };
}

/** By resource, or by the values of a label, of which null is the last. */
export async function readGroups(
  db: Db,
  accountId: string,
  asked: Asked,
  { by, labelKey = '' }: Grouping,
  page: Page,
): Promise<GroupPage> {
  if (by === 'resource') {
    const columns = [sql`family`, sql`type`, sql`resource_id`];
    const key = sql`jsonb_build_object('family', family, 'resource_type', type, 'resource_id', resource_id)`;
    return readPage(db, accountId, asked, columns, key, page);
  }
  const value = sql`(labels ->> ${labelKey}::text) collate "C"`;
  const columns = [sql`case when ${value} is null then '1' else '0' end`, sql`coalesce(${value}, '')`];
  const key = sql`jsonb_build_object('label_value', case group_0 when '0' then group_1 end)`;
  return readPage(db, accountId, asked, columns, key, page);
}
