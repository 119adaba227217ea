/** The functions and triggers that keep `meter_entries` and `meter_totals` in step with the spans and readings. */

export const COLUMNS = `account_id, resource_id, scope, kind, month, at, known_at, family, type, location, api_key_id,
    labels, sku, unit, pace, cap_ms, cost_slope, cost_base, quantity_slope, quantity_base, billable_slope, billable_base,
    due, committed`;

const SUMS = [
  'cost_slope',
  'cost_base',
  'quantity_slope',
  'quantity_base',
  'billable_slope',
  'billable_base',
  'due',
  'committed',
];

const KEY = `account_id, scope, month, kind, period_start, known_day, family, type, location, api_key_id, sku, unit,
    pace, cap_ms`;

export const upkeep = `
-- The beginning of the hour or day by which an entry of this kind and time is added up.
create function meter_period_start(kind text, at timestamptz) returns timestamptz immutable parallel safe language sql as $$
  select date_trunc(case kind when 'cap' then 'hour' else 'day' end, at at time zone 'UTC') at time zone 'UTC'
$$;

-- Replaces the entries of a resource from a month on. Entries that were folded are taken back by their negatives.
create function meter_retotal(of_resource text, since date) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_resource, 36));
  with gone as (
    delete from meter_entries where resource_id = of_resource and month >= since and pace <> 'metered' returning *)
  insert into meter_entries (${COLUMNS})
    select account_id, null, scope, kind, month, at, known_at, family, type, location, api_key_id, null, sku, unit, pace,
      cap_ms, ${SUMS.map((name) => `-${name}`).join(', ')} from gone where is_folded;
  insert into meter_entries (${COLUMNS}) select ${COLUMNS} from meter_entries_of(of_resource, since);
end
$$;

-- Waits for a budget with a label selector that is being written: its entries must not miss this span.
create function meter_lock(of_account text) returns void language sql as $$
  select pg_advisory_xact_lock_shared(hashtextextended(of_account, 37))
$$;

create function meter_span_changed() returns trigger language plpgsql as $$
begin
  perform meter_lock(new.account_id);
  if tg_op = 'INSERT' then
    perform meter_retotal(new.resource_id, utc_month(new.started_at));
  elsif new.started_at = old.started_at and new.lines = old.lines and new.labels = old.labels
    and new.location is not distinct from old.location then
    -- Before the end nothing has changed.
    perform meter_retotal(new.resource_id, utc_month(least(old.ended_at, new.ended_at)));
  else
    perform meter_retotal(new.resource_id, utc_month(least(old.started_at, new.started_at)));
  end if;
  return null;
end
$$;
create trigger meter_spans_totals_insert after insert on meter_spans for each row execute function meter_span_changed();
create trigger meter_spans_totals_update after update of started_at, ended_at, lines, labels, location on meter_spans
  for each row when (old.* is distinct from new.*) execute function meter_span_changed();

-- Adds what a reading has more than before.
create function meter_note_reading(r meter_readings, quantity numeric, billable numeric, cost numeric) returns void
language sql as $$
  insert into meter_entries (${COLUMNS})
  select r.account_id, r.resource_id, scope, 'bend', utc_month(r.read_at), r.read_at, r.read_at, r.family, r.type,
    r.location, r.api_key_id, r.labels, r.sku, r.unit, 'metered', null, 0, r.cost_micros - cost,
    0, r.quantity_micros - quantity, 0, r.billable_micros - billable, 0, 0
  from unnest(meter_scopes(r.account_id, r.family, r.api_key_id, r.labels)) scope
$$;

create function meter_reading_changed() returns trigger language plpgsql as $$
begin
  perform meter_lock(new.account_id);
  if tg_op = 'INSERT' then perform meter_note_reading(new, 0, 0, 0);
  else perform meter_note_reading(new, old.quantity_micros, old.billable_micros, old.cost_micros);
  end if;
  return null;
end
$$;
create trigger meter_readings_totals after insert or update on meter_readings
  for each row execute function meter_reading_changed();

-- Adds fresh entries to the totals and returns how many. A bend must be a while ago: until then, the call that asks
-- for the cost so far may have read its clock before it. Without a limit: all of them, and of one scope if it is named.
create function meter_fold(most int, of_account text default null, of_scope text default null) returns int
language plpgsql as $$
declare
  folded int;
begin
  with picked as (
    select id from meter_entries
    where not is_folded and (kind <> 'bend' or at < now() - interval '2 minutes')
      and (of_account is null or account_id = of_account) and (of_scope is null or scope = of_scope)
    order by id limit most for update skip locked),
  taken_back as (
    delete from meter_entries e using picked where e.id = picked.id and e.resource_id is null returning e.*),
  kept as (
    update meter_entries e set is_folded = true from picked
    where e.id = picked.id and e.resource_id is not null returning e.*),
  added as (
    insert into meter_totals as t (${KEY}, ${SUMS.join(', ')})
    select account_id, scope, month, kind, meter_period_start(kind, at) as period_start,
      (known_at at time zone 'UTC')::date as known_day, family, type, location, api_key_id, sku, unit, pace, cap_ms,
      ${SUMS.map((name) => `sum(${name})`).join(', ')}
    from (select * from taken_back union all select * from kept) entries
    group by ${KEY}
    on conflict (${KEY}) do update set ${SUMS.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')})
  select count(*) into folded from picked;
  return folded;
end
$$;

-- A budget with a label selector has a scope of its own, which is filled when the budget is written.
create function meter_budget_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from meter_entries where scope = old.id and account_id = old.account_id;
    delete from meter_totals where scope = old.id and account_id = old.account_id;
  end if;
  if tg_op <> 'DELETE' and new.scope->>'label_selector' is not null then
    perform pg_advisory_xact_lock(hashtextextended(new.account_id, 37));
    insert into meter_entries (${COLUMNS})
      select ${COLUMNS.replaceAll(/\b(\w+)\b/g, 'e.$1')}
      from (select distinct resource_id from meter_spans where account_id = new.account_id) r,
        meter_entries_of(r.resource_id, '-infinity') e
      where e.scope = new.id;
    insert into meter_entries (${COLUMNS})
      select account_id, resource_id, new.id, 'bend', utc_month(read_at), read_at, read_at, family, type, location,
        api_key_id, labels, sku, unit, 'metered', null, 0, cost_micros, 0, quantity_micros, 0, billable_micros, 0, 0
      from meter_readings where account_id = new.account_id
        and new.id = any(meter_scopes(account_id, family, api_key_id, labels));
    perform meter_fold(null, new.account_id, new.id);
  end if;
  return null;
end
$$;
create trigger budgets_totals after insert or delete on budgets
  for each row execute function meter_budget_changed();
create trigger budgets_totals_update after update of scope on budgets
  for each row when (old.scope is distinct from new.scope) execute function meter_budget_changed();
`;
