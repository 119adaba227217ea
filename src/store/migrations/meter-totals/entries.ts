/** The function that computes the entries of a resource from its spans. */

export const entries = `
create function utc_month(t timestamptz) returns date immutable parallel safe language sql as $$
  select date_trunc('month', t at time zone 'UTC')::date
$$;

create function ms_between(a timestamptz, b timestamptz) returns numeric immutable parallel safe language sql as $$
  select floor(extract(epoch from b) * 1000) - floor(extract(epoch from a) * 1000)
$$;

-- The terms of a label selector, as parseLabelSelector in label-selector.ts reads them.
create function selector_terms(selector text) returns jsonb immutable parallel safe language sql as $$
  select jsonb_agg(case
    when term ~ '^[a-z0-9._/-]+\\s*!=' then jsonb_build_object('operator', 'differs',
      'key', substring(term from '^[a-z0-9._/-]+'), 'value', trim(substring(term from '!=(.*)$')))
    when term ~ '^[a-z0-9._/-]+\\s*=' then jsonb_build_object('operator', 'equals',
      'key', substring(term from '^[a-z0-9._/-]+'), 'value', trim(substring(term from '==?([^=]*)$')))
    when term ~ '^[a-z0-9._/-]+\\s+(in|notin)\\s+\\(' then jsonb_build_object(
      'operator', case when term ~ '^[a-z0-9._/-]+\\s+in\\s' then 'in' else 'not_in' end,
      'key', substring(term from '^[a-z0-9._/-]+'),
      'values', (select jsonb_agg(trim(v)) from regexp_split_to_table(substring(term from '\\((.*)\\)'), ',') v))
    when term ~ '^!' then jsonb_build_object('operator', 'absent', 'key', trim(substring(term from 2)))
    else jsonb_build_object('operator', 'exists', 'key', term) end)
  from (select trim(t) as term from regexp_split_to_table(selector, ',(?![^()]*\\))') t) terms
$$;

-- The scopes that count a cost: that of the account, and the budgets with label selectors that match it.
create function meter_scopes(of_account text, of_family text, of_key text, of_labels jsonb) returns text[]
stable language sql as $$
  select array[''] || coalesce(array_agg(id order by id), '{}') from budgets
  where account_id = of_account and scope->>'label_selector' is not null
    and (scope->'families' is null or scope->'families' = 'null' or scope->'families' ? of_family)
    and (scope->'api_key_ids' is null or scope->'api_key_ids' = 'null'
      or exists (
        select from api_keys own join api_keys named on named.lineage = own.lineage
        where own.id = of_key and scope->'api_key_ids' ? named.id))
    and labels_match(of_labels, selector_terms(scope->>'label_selector'))
$$;

-- All entries of a resource from a month on. The same arithmetic as accrual.ts; a law compares the two.
create function meter_entries_of(of_resource text, since date) returns setof meter_entries
stable language plpgsql as $$
declare
  hourly_unit constant numeric := 3600000000000;
  e meter_entries;
  m record;
  s record;
  l record;
  scopes text[];
  of_scope text;
  month_from timestamptz;
  month_to timestamptz;
  month_ms numeric;
  touched_at timestamptz;
  sums jsonb;
  dues jsonb;
  wholes jsonb;
  is_ended bool;
  a numeric;
  b numeric;
  slope numeric;
  ceiling numeric;
  reach numeric;
  is_capped bool;
  c0 numeric;
  c1 numeric;
  open_end numeric;
  unit_of numeric;
  span_due numeric;
  span_whole numeric;
  next_month date;
  sign int;
begin
  e.resource_id := of_resource;
  e.is_folded := false;
  for m in
    select distinct utc_month(t) as month from meter_spans, lateral (values (started_at), (ended_at)) times(t)
    where resource_id = of_resource and t is not null and utc_month(t) >= since order by 1
  loop
    month_from := m.month::timestamp at time zone 'UTC';
    month_to := (m.month + interval '1 month') at time zone 'UTC';
    month_ms := ms_between(month_from, month_to);
    select min(t) into touched_at from meter_spans, lateral (values (started_at), (ended_at)) times(t)
      where resource_id = of_resource and t >= month_from and t < month_to;
    sums := '{}';
    dues := '{}';
    wholes := '{}';
    e.month := m.month;
    for s in
      select * from meter_spans
      where resource_id = of_resource and started_at < month_to and (ended_at is null or ended_at >= month_from)
      order by started_at, id
    loop
      scopes := meter_scopes(s.account_id, s.family, s.api_key_id, s.labels);
      is_ended := s.ended_at is not null and s.ended_at < month_to;
      a := greatest(0, ms_between(month_from, s.started_at));
      b := case when is_ended then ms_between(month_from, s.ended_at) else month_ms end;
      span_due := 0;
      span_whole := 0;
      e.account_id := s.account_id;
      e.family := s.family;
      e.type := s.type;
      e.location := s.location;
      e.api_key_id := s.api_key_id;
      e.labels := s.labels;
      for l in
        select * from jsonb_to_recordset(s.lines) as lines
          (sku text, unit text, pace text, quantity numeric, billable numeric, hourly numeric, monthly numeric)
      loop
        e.sku := l.sku;
        e.unit := l.unit;
        e.pace := l.pace;
        e.committed := 0;
        if l.pace = 'once' then
          continue when s.started_at < month_from;
          e.kind := 'bend';
          e.at := s.started_at;
          e.known_at := s.started_at;
          e.cost_slope := 0; e.cost_base := l.monthly;
          e.quantity_slope := 0; e.quantity_base := l.quantity;
          e.billable_slope := 0; e.billable_base := l.billable;
          e.due := l.monthly;
          foreach of_scope in array scopes loop e.scope := of_scope; return next e; end loop;
          span_due := span_due + l.monthly;
          span_whole := span_whole + l.monthly;
          continue;
        end if;
        if not is_ended then span_whole := span_whole + l.monthly; end if;
        continue when b <= a;
        c0 := coalesce((sums->>(l.sku || ' ' || l.unit || ' ' || l.pace))::numeric, 0);
        is_capped := false;
        if l.pace = 'month' then
          slope := l.monthly;
          unit_of := month_ms;
          c1 := c0 + slope * (b - a);
          open_end := c0 + slope * (month_ms - a);
        else
          unit_of := hourly_unit;
          ceiling := l.monthly * hourly_unit;
          slope := case when c0 >= ceiling then 0 else l.hourly end;
          c1 := greatest(c0, least(c0 + slope * (b - a), ceiling));
          open_end := greatest(c0, least(c0 + slope * (month_ms - a), ceiling));
          if slope > 0 then
            reach := ceil((ceiling - c0) / slope);
            is_capped := a + reach <= b;
          end if;
        end if;
        sums := sums || jsonb_build_object(l.sku || ' ' || l.unit || ' ' || l.pace, c1::text);
        e.kind := 'bend';
        e.at := month_from + a * interval '1 millisecond';
        e.known_at := case when s.started_at < month_from then touched_at else s.started_at end;
        e.cost_slope := slope; e.cost_base := -slope * a;
        e.quantity_slope := l.quantity; e.quantity_base := -l.quantity * a;
        e.billable_slope := l.billable; e.billable_base := -l.billable * a;
        e.due := open_end - c0;
        foreach of_scope in array scopes loop e.scope := of_scope; return next e; end loop;
        if is_capped then
          e.kind := 'cap';
          e.at := month_from + (a + reach) * interval '1 millisecond';
          e.cost_slope := -slope; e.cost_base := ceiling - c0 + slope * a;
          e.quantity_slope := 0; e.quantity_base := 0;
          e.billable_slope := 0; e.billable_base := 0;
          e.due := 0;
          foreach of_scope in array scopes loop e.scope := of_scope; return next e; end loop;
        end if;
        if is_ended then
          e.kind := 'bend';
          e.at := s.ended_at;
          e.known_at := s.ended_at;
          if is_capped then slope := 0; end if;
          e.cost_slope := -slope; e.cost_base := slope * b;
          e.quantity_slope := -l.quantity; e.quantity_base := l.quantity * b;
          e.billable_slope := -l.billable; e.billable_base := l.billable * b;
          e.due := c1 - open_end;
          foreach of_scope in array scopes loop e.scope := of_scope; return next e; end loop;
        end if;
        span_due := span_due + div(2 * c1 + unit_of, 2 * unit_of) - div(2 * c0 + unit_of, 2 * unit_of);
      end loop;
      foreach of_scope in array scopes loop
        dues := dues || jsonb_build_object(of_scope, coalesce((dues->>of_scope)::numeric, 0) + span_due);
        wholes := wholes || jsonb_build_object(of_scope, coalesce((wholes->>of_scope)::numeric, 0) + span_whole);
      end loop;
    end loop;
    e.kind := 'commitment';
    e.at := month_from;
    e.known_at := month_from;
    e.sku := ''; e.unit := ''; e.pace := '';
    e.cost_slope := 0; e.cost_base := 0; e.quantity_slope := 0; e.quantity_base := 0;
    e.billable_slope := 0; e.billable_base := 0; e.due := 0;
    for of_scope in select jsonb_object_keys(dues) loop
      e.scope := of_scope;
      e.committed := greatest((dues->>of_scope)::numeric, (wholes->>of_scope)::numeric);
      return next e;
    end loop;
  end loop;

  e.kind := 'carry';
  e.cost_base := 0; e.quantity_base := 0; e.billable_base := 0; e.due := 0;
  for s in
    select * from meter_spans
    where resource_id = of_resource and (ended_at is null or utc_month(ended_at) >= since
      or utc_month(started_at) + interval '1 month' >= since) order by started_at, id
  loop
    scopes := meter_scopes(s.account_id, s.family, s.api_key_id, s.labels);
    e.account_id := s.account_id;
    e.family := s.family;
    e.type := s.type;
    e.location := s.location;
    e.api_key_id := s.api_key_id;
    e.labels := s.labels;
    next_month := utc_month(s.started_at) + interval '1 month';
    foreach sign in array array[1, -1] loop
      if sign = 1 then
        e.month := next_month;
        e.at := s.started_at;
      else
        exit when s.ended_at is null;
        e.month := greatest(next_month, utc_month(s.ended_at));
        e.at := s.ended_at;
      end if;
      continue when e.month < since;
      e.known_at := e.at;
      for l in
        select * from jsonb_to_recordset(s.lines) as lines
          (sku text, unit text, pace text, quantity numeric, billable numeric, hourly numeric, monthly numeric)
        where pace <> 'once'
      loop
        e.sku := l.sku;
        e.unit := l.unit;
        e.pace := l.pace;
        e.cap_ms := case when l.pace = 'hour' and l.hourly > 0 then ceil(l.monthly * hourly_unit / l.hourly) end;
        e.cost_slope := sign * case when l.pace = 'hour' then l.hourly else l.monthly end;
        e.quantity_slope := sign * l.quantity;
        e.billable_slope := sign * l.billable;
        e.committed := sign * l.monthly;
        foreach of_scope in array scopes loop e.scope := of_scope; return next e; end loop;
      end loop;
    end loop;
  end loop;
end
$$;
`;
