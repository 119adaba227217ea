import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
create table budgets (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  amount numeric(12, 2) not null check (amount > 0),
  currency text not null,
  scope jsonb not null,
  thresholds jsonb not null,
  action text not null check (action in ('notify', 'block_new_cost')),
  emails text[] not null default '{}',
  description text not null default '',
  locked bool not null default false,
  -- The month ('2026-03') up to which it was evaluated: whoever moves it on tells of the new one.
  period text collate "C" not null,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name)
);
create index budgets_page on budgets (account_id, id);

-- What was crossed in a month: written once, whoever of several evaluators comes first.
create table budget_crossings (
  budget_id text collate "C" not null references budgets on delete cascade,
  period text collate "C" not null,
  basis text not null check (basis in ('actual', 'forecast')),
  percent int not null,
  crossed_at timestamptz not null default now(),
  primary key (budget_id, period, basis, percent)
);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
