import { sql } from 'kysely';
import type { Db } from '../database.ts';

const table = `
-- Who had an address from when to when, for reports of abuse. Nothing references accounts or machines, because the rows
-- outlive them. A row is only ever ended, and deleted a year after that.
create table address_holdings (
  id bigint generated always as identity primary key,
  address_id text collate "C" not null,
  block cidr not null,
  location text collate "C" not null,
  kind text collate "C" not null,
  account_id text collate "C" not null,
  -- The machine or VPN gateway; null while nothing had the address.
  holder_id text collate "C",
  held_from timestamptz not null,
  held_until timestamptz
);
create index address_holdings_by_block on address_holdings using spgist (block inet_ops);
create unique index address_holdings_open on address_holdings (address_id) where held_until is null;
create index address_holdings_ended on address_holdings (held_until) where held_until is not null;
`;

/** Triggers write it, so that no code that changes an address can forget it. */
const functions = `
create function note_holding() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    if old.account_id is not null then
      update address_holdings set held_until = greatest(now(), held_from)
        where address_id = old.id and held_until is null;
    end if;
  end if;
  if tg_op <> 'DELETE' then
    if new.account_id is not null then
      insert into address_holdings (address_id, block, location, kind, account_id, holder_id, held_from)
      values (new.id, new.block, new.location, new.kind, new.account_id, coalesce(new.vm_id, new.gateway_id), now());
    end if;
  end if;
  return null;
end
$$;

create function keep_holding() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.held_until is null or old.held_until > now() - interval '1 year' then
      raise exception 'Holdings of addresses are kept for a year after they ended.';
    end if;
    return old;
  end if;
  if old.held_until is not null or to_jsonb(new) - 'held_until' is distinct from to_jsonb(old) - 'held_until' then
    raise exception 'Holdings of addresses can only be ended.';
  end if;
  return new;
end
$$;

create trigger public_addresses_held after insert or delete on public_addresses
  for each row execute function note_holding();
create trigger public_addresses_held_update after update of id, account_id, vm_id, gateway_id, kind on public_addresses
  for each row when ((old.id, old.account_id, old.vm_id, old.gateway_id, old.kind)
    is distinct from (new.id, new.account_id, new.vm_id, new.gateway_id, new.kind))
  execute function note_holding();
create trigger address_holdings_kept before update or delete on address_holdings
  for each row execute function keep_holding();
`;

const start = `
insert into address_holdings (address_id, block, location, kind, account_id, holder_id, held_from)
  select id, block, location, kind, account_id, coalesce(vm_id, gateway_id), coalesce(assigned_at, created_at)
  from public_addresses where account_id is not null;
`;

export async function up(db: Db): Promise<void> {
  for (const statements of [table, functions, start]) await sql.raw(statements).execute(db);
}
