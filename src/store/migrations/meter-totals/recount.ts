/** The functions that compare the totals of the meter with its spans, and compute them again. */
import { COLUMNS } from './upkeep.ts';

const READING = `r.account_id, r.resource_id, scope, 'bend', utc_month(r.read_at), r.read_at, r.read_at, r.family, r.type,
    r.location, r.api_key_id, r.labels, r.sku, r.unit, 'metered', null::bigint, 0::numeric, r.cost_micros::numeric,
    0::numeric, r.quantity_micros::numeric, 0::numeric, r.billable_micros::numeric, 0::numeric, 0::numeric`;

export const recount = `
-- All entries of an account, computed from its spans and readings.
create function meter_expected(of_account text) returns setof meter_entries stable language plpgsql as $$
begin
  return query select e.* from
    (select distinct resource_id from meter_spans where account_id = of_account) r,
    meter_entries_of(r.resource_id, '-infinity') e;
  return query select null::bigint, ${READING}, false from meter_readings r,
    unnest(meter_scopes(r.account_id, r.family, r.api_key_id, r.labels)) scope where r.account_id = of_account;
end
$$;

-- The SKUs and months of an account whose totals differ from its spans. Spans are kept 435 days, totals as long.
create function meter_differences(of_account text) returns table (scope text, month date, kind text, sku text)
stable language sql as $$
  with stored as (
    select t.scope, t.month, t.kind, t.period_start, t.family, t.type, t.location, t.api_key_id, t.sku, t.unit, t.pace, t.cap_ms,
      t.cost_slope, t.cost_base, t.quantity_slope, t.quantity_base, t.billable_slope, t.billable_base, t.due, t.committed
    from meter_totals t where account_id = of_account
    union all
    select e.scope, e.month, e.kind, meter_period_start(e.kind, e.at), e.family, e.type, e.location, e.api_key_id, e.sku,
      e.unit, e.pace, e.cap_ms, e.cost_slope, e.cost_base, e.quantity_slope, e.quantity_base, e.billable_slope,
      e.billable_base, e.due, e.committed
    from meter_entries e where account_id = of_account and not is_folded
    union all
    select e.scope, e.month, e.kind, meter_period_start(e.kind, e.at), e.family, e.type, e.location, e.api_key_id, e.sku,
      e.unit, e.pace, e.cap_ms, -e.cost_slope, -e.cost_base, -e.quantity_slope, -e.quantity_base, -e.billable_slope,
      -e.billable_base, -e.due, -e.committed
    from meter_expected(of_account) e)
  select distinct s.scope, s.month, s.kind, s.sku from stored s
  where s.kind = 'carry' or s.month >= utc_month(now() - interval '400 days')
  group by s.scope, s.month, s.kind, s.period_start, s.family, s.type, s.location, s.api_key_id, s.sku, s.unit, s.pace,
    s.cap_ms
  having sum(cost_slope) <> 0 or sum(cost_base) <> 0 or sum(quantity_slope) <> 0 or sum(quantity_base) <> 0
    or sum(billable_slope) <> 0 or sum(billable_base) <> 0 or sum(due) <> 0 or sum(committed) <> 0
$$;

-- Writes the entries of an account again. Calls that change its spans wait.
create function meter_recount(of_account text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_account, 37));
  delete from meter_entries where account_id = of_account;
  delete from meter_totals where account_id = of_account;
  insert into meter_entries (${COLUMNS}) select ${COLUMNS} from meter_expected(of_account);
  perform meter_fold(null, of_account);
end
$$;
`;
