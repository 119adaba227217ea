import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
create table firewalls (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  description text not null default '',
  default_in text not null check (default_in in ('allow', 'drop')),
  default_out text not null check (default_out in ('allow', 'drop')),
  rules jsonb not null default '[]',
  -- How many entries the rules are for each machine.
  entries int not null default 0,
  status text collate "C" not null,
  status_reason text,
  applied_at timestamptz,
  -- Where an engine has or may have the firewall.
  locations text[] not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name)
);
create index firewalls_page on firewalls (account_id, id);
create index firewalls_by_update on firewalls (account_id, updated_at, id);
create index firewalls_by_name on firewalls (account_id, name, id);
create index firewalls_labels on firewalls using gin (labels jsonb_path_ops);
create index firewalls_locations on firewalls using gin (locations);

-- Each specification that an engine gets has a larger number than those before.
create sequence firewall_revisions;

-- What a firewall applies to: a machine, an interface, a network, or the machines with certain labels.
create table firewall_attachments (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  firewall_id text collate "C" not null references firewalls on delete cascade,
  vm_id text collate "C" references vms on delete cascade,
  interface_id text collate "C" references vm_interfaces on delete cascade,
  network_id text collate "C" references vps_networks on delete cascade,
  selector text,
  terms jsonb,
  created_at timestamptz not null default now(),
  check (num_nonnulls(vm_id, interface_id, network_id, selector) = 1),
  check ((selector is null) = (terms is null))
);
create unique index firewall_attachments_target on firewall_attachments
  (firewall_id, coalesce(vm_id, interface_id, network_id, selector));
create index firewall_attachments_vm on firewall_attachments (vm_id);
create index firewall_attachments_interface on firewall_attachments (interface_id);
create index firewall_attachments_network on firewall_attachments (network_id);
create index firewall_attachments_account on firewall_attachments (account_id, id);

-- Whether labels match all terms of a selector: the same as matchesLabels in label-selector.ts.
create function labels_match(labels jsonb, terms jsonb) returns bool immutable parallel safe language sql as $$
  select not exists (
    select from jsonb_array_elements(terms) term
    where not case term->>'operator'
      when 'equals' then coalesce(labels->>(term->>'key') = term->>'value', false)
      when 'differs' then labels->>(term->>'key') is distinct from term->>'value'
      when 'in' then coalesce(term->'values' ? (labels->>(term->>'key')), false)
      when 'not_in' then not coalesce(term->'values' ? (labels->>(term->>'key')), false)
      when 'exists' then labels ? (term->>'key')
      when 'absent' then not labels ? (term->>'key')
    end)
$$;

-- Which firewall applies to which machine: to one interface of it, or to all (interface_id is null).
create view firewall_members as
  select id as attachment_id, account_id, firewall_id, vm_id, null::text collate "C" as interface_id
    from firewall_attachments where vm_id is not null
  union all
  select a.id, a.account_id, a.firewall_id, i.vm_id, i.id
    from firewall_attachments a join vm_interfaces i on i.id = a.interface_id
  union all
  select a.id, a.account_id, a.firewall_id, i.vm_id, i.id
    from firewall_attachments a join vm_interfaces i on i.network_id = a.network_id
  union all
  select a.id, a.account_id, a.firewall_id, v.id, null
    from firewall_attachments a join vms v on v.account_id = a.account_id and labels_match(v.labels, a.terms)
    where a.terms is not null;
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
