import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { entries } from './meter-totals/entries.ts';
import { recount } from './meter-totals/recount.ts';
import { upkeep } from './meter-totals/upkeep.ts';

const tables = `
-- What each resource adds to the cost of its account, as entries that can be added up in any order. The cost so far of a
-- month is a line with bends: where the meter of a resource begins, where it ends, and where it reaches its monthly price.
--   bend        from "at" on, the cost grows by cost_slope for each millisecond, beginning with cost_base
--   cap         the same, where a resource has reached its monthly price: takes its slope away again
--   carry       from "month" on, the slope of a resource in every month in which nothing changes about it
--   commitment  what the resource counts in its month for budgets that look ahead
-- Times in cost_base, quantity_base and billable_base are counted from the beginning of the month.
create table meter_entries (
  id bigserial primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  -- Null: takes a folded entry back that has changed since.
  resource_id text collate "C",
  -- Empty: the account. Otherwise the id of a budget that selects resources by labels.
  scope text collate "C" not null,
  kind text not null,
  month date not null,
  at timestamptz not null,
  -- When the entry came to be known: the end of a span is not known at its beginning.
  known_at timestamptz not null,
  family text collate "C" not null,
  type text collate "C" not null,
  location text collate "C",
  api_key_id text collate "C",
  labels jsonb,
  sku text collate "C" not null,
  unit text not null,
  pace text not null,
  -- Of a carry that is sold by the hour: after how many milliseconds of a month it has reached its monthly price.
  cap_ms bigint,
  cost_slope numeric not null,
  cost_base numeric not null,
  quantity_slope numeric not null,
  quantity_base numeric not null,
  billable_slope numeric not null,
  billable_base numeric not null,
  -- What the entry adds to the cost of the whole month, if nothing else happens.
  due numeric not null,
  committed numeric not null,
  is_folded bool not null default false
);
create index meter_entries_resource on meter_entries (resource_id, month);
create index meter_entries_fresh on meter_entries (account_id, scope, month) where not is_folded;
create index meter_entries_foldable on meter_entries (id) where not is_folded;
create index meter_entries_time on meter_entries (account_id, scope, kind, at);
create index meter_entries_groups on meter_entries (account_id, scope, family, type, resource_id);

-- The sums of folded entries: of caps by the hour, of the others by the day.
create table meter_totals (
  account_id text collate "C" not null references accounts on delete cascade,
  scope text collate "C" not null,
  kind text not null,
  month date not null,
  -- When the hour or the day begins.
  period_start timestamptz not null,
  known_day date not null,
  family text collate "C" not null,
  type text collate "C" not null,
  location text collate "C",
  api_key_id text collate "C",
  sku text collate "C" not null,
  unit text not null,
  pace text not null,
  cap_ms bigint,
  cost_slope numeric not null,
  cost_base numeric not null,
  quantity_slope numeric not null,
  quantity_base numeric not null,
  billable_slope numeric not null,
  billable_base numeric not null,
  due numeric not null,
  committed numeric not null
);
create unique index meter_totals_key on meter_totals (account_id, scope, month, kind, period_start, known_day, family, type,
  location, api_key_id, sku, unit, pace, cap_ms) nulls not distinct;

comment on column meter_entries.api_key_id is 'API key fact: which key created the resource';
comment on column meter_totals.api_key_id is 'API key fact: which key created the resource';
`;

const start = 'select meter_recount(id) from accounts';

/** The functions keep the entries in step with the spans and readings, in the transactions that change them. */
export async function up(db: Db): Promise<void> {
  for (const statements of [tables, entries, upkeep, recount, start]) await sql.raw(statements).execute(db);
}
