import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Without a name of their own, addresses are named after themselves: `203-0-113-7`, `2001-db8-100-1-64`. */
const OWN_NAME = `case when family(block) = 4 and masklen(block) = 32 then translate(host(block), '.', '-')
  else rtrim(translate(host(block), '.:', '--'), '-') || '-' || masklen(block) end`;

const columns = `
alter table public_addresses
  add column status text collate "C" not null default 'available',
  add column description text not null default '',
  -- Why somebody needs a block that large.
  add column justification text,
  add column protected bool not null default false,
  add column provisioned_at timestamptz,
  -- When the machine or the gateway got it.
  add column assigned_at timestamptz,
  -- The row of a gateway is inserted after its addresses were taken.
  add column gateway_id text collate "C" references vpn_gateways
    on delete set null deferrable initially deferred,
  add column routing text collate "C" not null default 'normal' check (routing in ('normal', 'null_routed')),
  add column null_route_reason text,
  add column null_route_since timestamptz,
  add column null_route_until timestamptz,
  drop constraint public_addresses_kind_check,
  add constraint public_addresses_kind_check check (kind in ('ephemeral', 'reserved', 'subnet'));

update public_addresses a set gateway_id = g.id from vpn_gateways g where a.id in (g.ipv4_address_id, g.ipv6_address_id);
update public_addresses set
  name = ${OWN_NAME}, provisioned_at = created_at,
  assigned_at = case when vm_id is not null or gateway_id is not null then updated_at end,
  status = case when vm_id is not null or gateway_id is not null then 'assigned' else 'available' end
  where account_id is not null;
set constraints all immediate;
`;

const indexes = `
create unique index public_addresses_by_name on public_addresses (account_id, name);
create index public_addresses_by_update on public_addresses (account_id, updated_at, id);
create index public_addresses_by_gateway on public_addresses (gateway_id) where gateway_id is not null;
create index public_addresses_null_routed on public_addresses (null_route_until) where routing = 'null_routed';
`;

/** What is reserved counts while an account holds it. What it released is taken back first, so it needs no count. */
const counts = `
create or replace function counts_of(r public_addresses)
returns table (account_id text, what text, location text, since timestamptz, amount bigint)
immutable language sql as $$
  select n.account_id, 'public_address.ipv4_of_machines', r.location, n.since, n.amount
  from (values
    (r.account_id, '-infinity'::timestamptz, 1::bigint),
    (r.former_account_id, '-infinity'::timestamptz, 1::bigint),
    (r.former_account_id, r.quarantined_until, -1::bigint)) n (account_id, since, amount)
  where n.account_id is not null and r.kind = 'ephemeral' and family(r.block) = 4
  union all
  select r.account_id,
    case when family(r.block) = 6 then 'public_address.ipv6_prefixes'
      when masklen(r.block) = 32 then 'public_address.ipv4_reserved' else 'public_address.ipv4_subnets' end,
    r.location, '-infinity'::timestamptz, 1::bigint
  where r.account_id is not null and r.kind <> 'ephemeral'
$$;

insert into kept_counts (account_id, what, location, since, amount, is_sum)
  select account_id, what, location, since, amount, not isfinite(since)
  from count_differences(array(select id from accounts));
`;

/** Addresses become resources of their own: with names, a state, protection, and how they are routed. */
export async function up(db: Db): Promise<void> {
  for (const statements of [columns, indexes, counts]) await sql.raw(statements).execute(db);
}
