import { invalid } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Decimal, Named, Nullable, OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import { DAY_MS, earlierOf, monthOf, type Period } from '../../../money/metering/calendar.ts';
import { forecastOf } from '../../../money/metering/spent.ts';
import { readLedger } from '../../../money/metering/store.ts';
import { groupings, groupUsage, type UsageGroup } from '../../../money/metering/usage.ts';
import { formatAmount, formatQuantity } from '../../../money/prices/format.ts';

const MAX_DAYS = 400;

const Usage = Named(
  'Usage',
  Shape({
    period: Shape({ from: Time, to: Time, is_billing_period: Type.Boolean() }),
    currency: Type.String(),
    accrued: Shape({ total: Decimal, fixed: Decimal, metered: Decimal }),
    forecast: Shape({
      total: Decimal,
      method: OneOf(['run_rate']),
      confidence: OneOf(['low', 'medium', 'high']),
    }),
    groups: Type.Array(
      Shape({
        key: Shape({
          family: Type.Optional(Type.String()),
          resource_type: Type.Optional(Type.String()),
          resource_id: Type.Optional(Type.String()),
          label_value: Type.Optional({
            ...Nullable(Type.String()),
            description: '`null`: resources that did not have the label at the time.',
          }),
          location: Type.Optional(Nullable(Type.String())),
          day: Type.Optional(Type.String()),
        }),
        quantities: Type.Array(
          Shape({
            sku: Type.String(),
            unit: Type.String(),
            quantity: { ...Decimal, description: 'The quantity used, in `unit`.' },
            included: { ...Decimal, description: 'The part of `quantity` that was free of charge.' },
            billable: {
              ...Decimal,
              description: 'The part of `quantity` that costs: `included` plus `billable` is `quantity`.',
            },
          }),
        ),
        cost: { ...Decimal, description: 'Exact to 0.000001: the groups add up to `accrued.total`.' },
      }),
    ),
    data_complete_until: Time,
    is_invoice: Type.Literal(false),
  }),
);

const example = {
  period: { from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z', is_billing_period: true },
  currency: 'EUR',
  accrued: { total: '4.919717', fixed: '2.919717', metered: '2.00' },
  forecast: { total: '18.204061', method: 'run_rate', confidence: 'medium' },
  groups: [
    {
      key: { family: 'flexible-vps' },
      quantities: [
        { sku: 'traffic.out', unit: 'gb', quantity: '22000', included: '20000', billable: '2000' },
        {
          sku: 'volume.standard',
          unit: 'gb_month',
          quantity: '30.555556',
          included: '0',
          billable: '30.555556',
        },
        { sku: 'vps.flex-2-4', unit: 'hour', quantity: '143.206667', included: '0', billable: '143.206667' },
      ],
      cost: '4.919717',
    },
  ],
  data_complete_until: '2026-03-10T11:20:00.000Z',
  is_invoice: false,
};

function periodOf(query: { from?: string; to?: string }, now: Date): Period {
  const month = monthOf(now);
  const from = query.from === undefined ? month.from : new Date(query.from);
  const to = query.to === undefined ? month.to : new Date(query.to);
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (days <= 0 || days > MAX_DAYS) {
    const detail = `The period must end after it begins and span at most ${MAX_DAYS} days.`;
    throw invalid([
      { pointer: query.to === undefined ? 'query/from' : 'query/to', code: 'out_of_range', detail },
    ]);
  }
  return { from, to };
}

function presentPeriod({ from, to }: Period) {
  const month = monthOf(from);
  const isMonth = month.from.getTime() === from.getTime() && month.to.getTime() === to.getTime();
  return { from: from.toISOString(), to: to.toISOString(), is_billing_period: isMonth };
}

const presentGroup = ({ key, quantities, cost }: UsageGroup) => ({
  key,
  quantities: quantities.map(({ sku, unit, quantity, billable }) => ({
    sku,
    unit,
    quantity: formatQuantity(quantity),
    included: formatQuantity(quantity - billable),
    billable: formatQuantity(billable),
  })),
  cost: formatAmount(cost),
});

export const getUsage = endpoint({
  id: 'getUsage',
  method: 'GET',
  path: '/account/v1/usage',
  summary: 'Get usage and cost to date',
  description:
    'Accrued quantities and cost with a forecast for the period. The forecast assumes that current resources run until its end and that metered usage goes on at the same rate. Hourly products cost the hourly price up to the monthly price, for each resource, SKU and month in UTC; monthly products cost their share of the month. This is not an invoice.',
  permission: 'account:usage:read',
  access: 'read',
  resource: { name: 'usage', role: 'read' },
  query: Shape({
    from: Type.Optional({ ...Time, description: 'Start of the period; the current month by default.' }),
    to: Type.Optional({ ...Time, description: 'End of the period, not included.' }),
    group_by: OneOf(groupings, {
      default: 'family',
      description: 'How rows are grouped.',
    }),
    label_key: Type.Optional(
      Type.String({ maxLength: 63, description: 'With `group_by=label`: which label.' }),
    ),
  }),
  answers: { 200: Usage },
  problems: [],
  example: { query: { group_by: 'family' }, answer: { status: 200, body: example } },
  async handle({ db, caller, query, services, now }) {
    const { group_by, label_key } = query;
    if ((group_by === 'label') !== (label_key !== undefined)) {
      const detail = 'Use label_key with group_by=label, and only then.';
      const code = label_key === undefined ? 'required' : 'incompatible';
      throw invalid([{ pointer: 'query/label_key', code, detail }]);
    }
    const period = periodOf(query, now);
    const ledger = await readLedger(db, caller.account.id, period);
    const until = earlierOf(period.to, now);
    const { fixed, metered, groups } = await groupUsage(
      ledger,
      { from: period.from, to: until },
      { by: group_by, labelKey: label_key },
    );
    const { total, confidence } = forecastOf(ledger, period, {}, now);
    return ok({
      period: presentPeriod(period),
      currency: services.provider.provider.currency,
      accrued: {
        total: formatAmount(fixed + metered),
        fixed: formatAmount(fixed),
        metered: formatAmount(metered),
      },
      forecast: { total: formatAmount(total), method: 'run_rate' as const, confidence },
      groups: groups.map(presentGroup),
      data_complete_until: until.toISOString(),
      is_invoice: false as const,
    });
  },
});
