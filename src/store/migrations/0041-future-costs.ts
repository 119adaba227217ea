import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** The columns that the sums are grouped by. */
const group = 'account_id, schedule_id, family, labels, api_key_id, priced_as, configuration';

const statements = `
-- What a schedule is going to add for one resource: so many resources with this configuration. The key and the member
-- are those who set it; both are null if that is not known.
create table future_costs (
  schedule_id text collate "C" not null references resources on delete cascade,
  resource_id text collate "C" not null references resources on delete cascade,
  account_id text collate "C" not null references accounts on delete cascade,
  family text collate "C" not null,
  labels jsonb not null default '{}',
  priced_as text collate "C" not null,
  configuration jsonb not null,
  quantity int not null check (quantity >= 0),
  api_key_id text collate "C",
  member_id text collate "C",
  set_at timestamptz not null default now(),
  primary key (schedule_id, resource_id)
);
create index future_costs_by_resource on future_costs (resource_id);
create index future_costs_by_account on future_costs (account_id);

-- Their sums, which every call that adds cost reads. Triggers keep them, so that no change of future_costs can forget it.
create table future_totals (
  account_id text collate "C" not null references accounts on delete cascade,
  schedule_id text collate "C" not null references resources on delete cascade,
  family text collate "C" not null,
  labels jsonb not null,
  api_key_id text collate "C",
  priced_as text collate "C" not null,
  configuration jsonb not null,
  quantity int not null
);
create unique index future_totals_group on future_totals
  (account_id, schedule_id, coalesce(api_key_id, ''), priced_as, configuration, family, labels);

create index future_totals_by_schedule on future_totals (schedule_id);

create function add_up_future_costs() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update future_totals t set quantity = t.quantity - gone.quantity
    from (select ${group}, sum(quantity)::int as quantity from removed group by ${group}) gone
    where t.account_id = gone.account_id and t.schedule_id = gone.schedule_id
      and coalesce(t.api_key_id, '') = coalesce(gone.api_key_id, '') and t.priced_as = gone.priced_as
      and t.configuration = gone.configuration and t.family = gone.family and t.labels = gone.labels;
  end if;
  if tg_op <> 'DELETE' then
    insert into future_totals (${group}, quantity)
    select ${group}, sum(quantity)::int from added
    group by ${group} having sum(quantity) > 0
    on conflict (account_id, schedule_id, coalesce(api_key_id, ''), priced_as, configuration, family, labels)
    do update set quantity = future_totals.quantity + excluded.quantity;
  end if;
  if tg_op <> 'INSERT' then
    delete from future_totals t using removed r
    where t.account_id = r.account_id and t.schedule_id = r.schedule_id and t.quantity = 0;
  end if;
  return null;
end $$;
create trigger future_costs_inserted after insert on future_costs
  referencing new table as added for each statement execute function add_up_future_costs();
create trigger future_costs_updated after update on future_costs
  referencing old table as removed new table as added for each statement execute function add_up_future_costs();
create trigger future_costs_deleted after delete on future_costs
  referencing old table as removed for each statement execute function add_up_future_costs();

-- Who set the schedule of a policy, and how many machines its last run skipped because a budget had no room.
alter table backup_policies
  add column api_key_id text collate "C",
  add column member_id text collate "C",
  add column last_over_budget int not null default 0;

comment on column future_costs.api_key_id is 'API key fact: which key set the schedule';
comment on column future_totals.api_key_id is 'API key fact: which key set the schedule';
comment on column backup_policies.api_key_id is 'API key fact: which key set the schedule';

-- Machines that have a policy already. It is not known who gave it to them.
insert into future_costs (schedule_id, resource_id, account_id, family, priced_as, configuration, quantity)
select p.id, v.id, v.account_id, 'flexible-vps', 'backup',
  jsonb_build_object('location', v.location, 'size_gb', v.disk_gb),
  case when p.enabled then least(
    greatest(0, least(
      (p.retention->>'keep_last')::int,
      coalesce((p.retention->>'keep_days')::int * 24 / every.hours + 1, 1000)
    ) - made.count),
    greatest(1, 31 * 24 / every.hours)
  ) else 0 end
from vms v
join backup_policies p on p.id = v.backup_policy_id
cross join lateral (select case p.schedule->>'frequency'
  when 'every_n_hours' then coalesce((p.schedule->>'every_hours')::int, 24)
  when 'weekly' then 7 * 24 when 'monthly' then 28 * 24 else 24 end as hours) every
cross join lateral (select count(*)::int as count from vm_backups b
  where b.account_id = v.account_id and b.vm_id = v.id and b.policy_id = p.id and b.kind = 'scheduled'
    and b.status <> 'failed' and b.failed_at is null
    and (b.expires_at is null or b.expires_at > now())) made
where v.status <> 'deleting' and exists (select from resources r where r.id = v.id)
  and exists (select from resources r where r.id = p.id);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
