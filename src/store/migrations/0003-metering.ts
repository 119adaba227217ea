import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
alter table resources add column api_key_id text collate "C";
alter table resources add column priced_as text;
alter table resources add column contract_months int not null default 1;
alter table resources add column is_stopped bool not null default false;

-- One resource at one price, with one set of labels, over a half-open time. Kept after the resource is gone.
create table meter_spans (
  id bigserial primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  resource_id text collate "C" not null,
  family text not null,
  type text not null,
  name text not null,
  location text,
  labels jsonb not null,
  api_key_id text collate "C",
  priced_as text not null,
  contract_months int not null,
  is_stopped bool not null,
  configuration jsonb not null,
  lines jsonb not null,
  -- As of when the lines are right: a span that only took over other labels has those of the one before it.
  priced_at timestamptz not null,
  started_at timestamptz not null,
  ended_at timestamptz check (ended_at >= started_at)
);
create unique index meter_spans_open on meter_spans (resource_id) where ended_at is null;
create index meter_spans_account on meter_spans (account_id, ended_at);
create index meter_spans_resource on meter_spans (resource_id, id);
create index meter_spans_age on meter_spans (ended_at) where ended_at is not null;

-- What was measured of a resource on a day, and what that added to the cost of its month.
create table meter_readings (
  account_id text collate "C" not null references accounts on delete cascade,
  resource_id text collate "C" not null,
  sku text collate "C" not null,
  day date not null,
  family text not null,
  type text not null,
  location text,
  labels jsonb not null,
  api_key_id text collate "C",
  unit text not null,
  read_at timestamptz not null,
  quantity_micros bigint not null,
  billable_micros bigint not null,
  cost_micros bigint not null,
  primary key (resource_id, sku, day)
);
create index meter_readings_account on meter_readings (account_id, day);
create index meter_readings_age on meter_readings (day);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
