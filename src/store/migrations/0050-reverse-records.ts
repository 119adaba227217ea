import { sql } from 'kysely';
import type { Db } from '../database.ts';

const table = `
-- The names of public addresses: what their holder wants, and whether the nameserver has it. Every IPv4 address that is
-- held has a row; of IPv6 addresses only those with a name. A row without an account belongs to no one any more: the
-- nameserver gets the default name, or none.
create table reverse_records (
  -- Made of the address.
  id text collate "C" primary key,
  account_id text collate "C" references accounts on delete set null,
  -- The row of public_addresses that holds it. Not referenced, because an address gets another id with its next holder.
  address_id text collate "C",
  address inet not null unique,
  location text collate "C" not null,
  -- Null: the default name of IPv4, or none.
  hostname text collate "C",
  ttl_seconds int not null default 3600,
  sync_status text collate "C" not null default 'pending' check (sync_status in ('pending', 'synced', 'failed')),
  -- Why the nameserver refused it.
  sync_error text,
  -- When the nameserver is told next. Null: it has what is wanted.
  due_at timestamptz default now(),
  forward_confirmed text collate "C" not null default 'unknown' check (forward_confirmed in ('yes', 'no', 'unknown')),
  forward_checked_at timestamptz,
  -- When the name is looked up next, and how often that was done since it was set.
  forward_due_at timestamptz,
  forward_checks int not null default 0,
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index reverse_records_by_account on reverse_records (account_id, id);
create index reverse_records_by_creation on reverse_records (account_id, created_at, id);
create index reverse_records_by_change on reverse_records (account_id, updated_at, id);
create index reverse_records_by_holding on reverse_records (address_id) where address_id is not null;
create index reverse_records_due on reverse_records (location, due_at) where due_at is not null;
create index reverse_records_to_look_up on reverse_records (location, forward_due_at) where forward_due_at is not null;
-- Drift is looked for in the order of the addresses.
create index reverse_records_by_place on reverse_records (location, id);
`;

const functions = `
-- 'rdns_' and the 128 bits of ::ffff:a.b.c.d in base32, of which the first 80 are zero.
create function reverse_record_id(address inet) returns text immutable language plpgsql as $$
declare
  rest bigint := (65535::bigint << 32) + (address - '0.0.0.0'::inet);
  letters text := '';
begin
  for i in 1..10 loop
    letters := substr('0123456789abcdefghjkmnpqrstvwxyz', (rest & 31)::int + 1, 1) || letters;
    rest := rest >> 5;
  end loop;
  return 'rdns_0000000000000000' || letters;
end
$$;

-- The single addresses of an IPv4 block. The first and the last of a subnet are those of the network and of broadcast.
create function addresses_in(block cidr) returns setof inet immutable language sql as $$
  select host(block)::inet + n
  from generate_series(
    case when masklen(block) < 31 then 1 else 0 end,
    (2 ^ (32 - masklen(block)))::bigint - case when masklen(block) < 31 then 2 else 1 end) n
$$;

-- Every IPv4 address of a held block has its default name until its holder sets another.
create function give_default_names(held public_addresses) returns void language sql as $$
  insert into reverse_records as known (id, account_id, address_id, address, location)
  select reverse_record_id(a), held.account_id, held.id, a, held.location from addresses_in(held.block) a
  where held.account_id is not null and family(held.block) = 4
  on conflict (id) do update set
    account_id = excluded.account_id, address_id = excluded.address_id, location = excluded.location, hostname = null,
    ttl_seconds = 3600, sync_status = 'pending', sync_error = null, due_at = now(), forward_confirmed = 'unknown',
    forward_checked_at = null, forward_due_at = null, forward_checks = 0, version = known.version + 1,
    created_at = now(), updated_at = now()
$$;

-- An address that leaves its account loses its name, whoever or whatever takes it away.
create function keep_reverse_records() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update reverse_records set
      account_id = null, address_id = null, hostname = null, ttl_seconds = 3600, sync_status = 'pending',
      sync_error = null, due_at = now(), forward_confirmed = 'unknown', forward_checked_at = null,
      forward_due_at = null, forward_checks = 0, version = version + 1, updated_at = now()
    where address_id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    perform give_default_names(new);
  end if;
  return null;
end
$$;

create trigger public_addresses_named after insert or delete on public_addresses
  for each row execute function keep_reverse_records();
create trigger public_addresses_named_update after update of id, account_id, block, location on public_addresses
  for each row when (
    old.id is distinct from new.id or old.account_id is distinct from new.account_id
    or old.block is distinct from new.block or old.location is distinct from new.location)
  execute function keep_reverse_records();
`;

/** The addresses that are held already. Nobody writes them until the transaction ends, because it made triggers on them. */
const start = `
select give_default_names(held) from public_addresses held where held.account_id is not null`;

export async function up(db: Db): Promise<void> {
  for (const statements of [table, functions, start]) await sql.raw(statements).execute(db);
}
