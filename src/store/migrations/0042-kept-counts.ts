import { sql } from 'kysely';
import type { Db } from '../database.ts';

const table = `
-- How much of what limits count each account has. Every change adds a row, so calls do not wait for each other, and the
-- count is the sum of the rows. A schedule replaces rows by their sum. Accounts are not referenced, because a row is also
-- written while an account is deleted; the sum is then zero, and no row is left.
create table kept_counts (
  id bigint generated always as identity primary key,
  account_id text collate "C" not null,
  -- A type of resource; or what else is counted, with a dot in its name.
  what text collate "C" not null,
  -- Empty: without location.
  location text collate "C" not null,
  -- The row counts from this time on: a released address stops counting when its quarantine ends.
  since timestamptz not null,
  amount bigint not null,
  is_sum bool not null default false
);
create index kept_counts_read on kept_counts (account_id, what, since);
create index kept_counts_fresh on kept_counts (since) where not is_sum;
`;

const RESULT = 'table (account_id text, what text, location text, since timestamptz, amount bigint)';

const functions = `
-- What a row adds to the counts.
create function counts_of(r resources) returns ${RESULT} immutable language sql as $$
  select r.account_id, r.type, coalesce(r.location, ''), '-infinity'::timestamptz, 1::bigint
$$;

create function counts_of(r vms) returns ${RESULT} immutable language sql as $$
  select r.account_id, n.what, r.location, '-infinity'::timestamptz, n.amount
  from (values ('vm.vcpus', r.vcpus::bigint), ('vm.memory_mb', r.memory_mb::bigint)) n (what, amount)
$$;

-- An IPv4 address of a machine counts until its quarantine ends, because its account could have it back.
create function counts_of(r public_addresses) returns ${RESULT} immutable language sql as $$
  select n.account_id, 'public_address.ipv4_of_machines', r.location, n.since, n.amount
  from (values
    (r.account_id, '-infinity'::timestamptz, 1::bigint),
    (r.former_account_id, '-infinity'::timestamptz, 1::bigint),
    (r.former_account_id, r.quarantined_until, -1::bigint)) n (account_id, since, amount)
  where n.account_id is not null and r.kind = 'ephemeral' and family(r.block) = 4
$$;

create function note_counts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into kept_counts (account_id, what, location, since, amount) select * from counts_of(new);
  elsif tg_op = 'DELETE' then
    insert into kept_counts (account_id, what, location, since, amount)
      select o.account_id, o.what, o.location, o.since, -o.amount from counts_of(old) o;
  else
    insert into kept_counts (account_id, what, location, since, amount)
      select account_id, what, location, since, sum(amount) from (
        select * from counts_of(new)
        union all
        select o.account_id, o.what, o.location, o.since, -o.amount from counts_of(old) o) both_rows
      group by account_id, what, location, since having sum(amount) <> 0;
  end if;
  return null;
end
$$;

-- By how much the counts of these accounts are too small, or, if negative, too large.
create function count_differences(of_accounts text[]) returns ${RESULT} stable language sql as $$
  select n.account_id, n.what, n.location, case when n.since > now() then n.since else '-infinity' end,
    sum(n.amount)::bigint
  from (
    select c.* from resources r, counts_of(r) c where r.account_id = any(of_accounts)
    union all
    select c.* from vms r, counts_of(r) c where r.account_id = any(of_accounts)
    union all
    select c.* from public_addresses r, counts_of(r) c where r.account_id = any(of_accounts)
    union all
    select c.* from public_addresses r, counts_of(r) c where r.former_account_id = any(of_accounts)
    union all
    select k.account_id, k.what, k.location, k.since, -k.amount from kept_counts k
    where k.account_id = any(of_accounts)) n
  group by 1, 2, 3, 4 having sum(n.amount) <> 0
$$;
`;

/** The columns that `counts_of` reads. */
const COUNTED = {
  resources: ['account_id', 'type', 'location'],
  vms: ['account_id', 'location', 'vcpus', 'memory_mb'],
  public_addresses: ['account_id', 'former_account_id', 'location', 'kind', 'block', 'quarantined_until'],
};

const triggers = Object.entries(COUNTED).map(([name, columns]) => {
  const isChanged = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  return `
    create trigger ${name}_counted after insert or delete on ${name} for each row execute function note_counts();
    create trigger ${name}_counted_update after update of ${columns.join(', ')} on ${name}
      for each row when (${isChanged}) execute function note_counts();`;
});

/** Nobody writes these tables until the transaction ends, because it has created triggers on them. */
const start = `
insert into kept_counts (account_id, what, location, since, amount, is_sum)
  select account_id, what, location, since, amount, not isfinite(since)
  from count_differences(array(select id from accounts))`;

const indexes = `
-- It served the count that is kept now.
drop index public_addresses_of_machines;
-- A create takes back the address that the account has released first. It may have released many.
drop index public_addresses_by_former_account;
create index public_addresses_by_former_account
  on public_addresses (former_account_id, location, family(block), quarantined_until)
  where former_account_id is not null;
-- Imports under way, which are few.
create index vps_images_importing on vps_images (account_id) where status = 'creating' and source ->> 'type' = 'url';
create index vps_isos_importing on vps_isos (account_id) where status in ('downloading', 'verifying');
`;

export async function up(db: Db): Promise<void> {
  for (const statements of [table, functions, ...triggers, start, indexes])
    await sql.raw(statements).execute(db);
}
