import { pagesOf } from '../../../kernel/pages/list.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Shape, Time, Type } from '../../../kernel/schema.ts';
import { DAY_MS, earlierOf, monthOf, type Period, startOfDay } from '../../../money/metering/calendar.ts';
import { LONGEST_PERIOD } from '../../../money/metering/longest-period.ts';
import { reportUsage } from '../../../money/metering/report/report.ts';
import { GroupBy, type UsageGroup } from '../../../money/metering/usage.ts';
import { type Book, bookOf } from '../../../money/prices/book.ts';
import { formatAmount, formatQuantity } from '../../../money/prices/format.ts';
import { Usage } from './schema.ts';

/** Only groups by resource or by label can be more: those are read in pages. */
const MAX_GROUPS = 1000;
/** A cursor has the exact sum of the groups before it, and the members of the last group. */
const CURSOR_LENGTH = { resource: 4, label: 3 } as const;

const example = {
  period: { from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z', is_billing_period: true },
  currency: 'EUR',
  accrued: { total: '4.919717', fixed: '2.919717', metered: '2.00' },
  forecast: { total: '18.204061', method: 'run_rate', confidence: 'medium' },
  groups: [
    {
      key: { family: 'flexible-vps' },
      quantities: [
        {
          sku: 'traffic.out',
          name: 'Outgoing traffic',
          unit: 'gb',
          quantity: '22000',
          included: '20000',
          billable: '2000',
        },
        {
          sku: 'volume.standard',
          name: 'Volume standard',
          unit: 'gb_month',
          quantity: '30.555556',
          included: '0',
          billable: '30.555556',
        },
        {
          sku: 'vps.flex-2-4',
          name: 'Plan flex-2-4',
          unit: 'hour',
          quantity: '143.206667',
          included: '0',
          billable: '143.206667',
        },
      ],
      cost: '4.919717',
    },
  ],
  next_cursor: null,
  data_complete_until: '2026-03-10T11:20:00.000Z',
  is_invoice: false,
};

function periodOf(query: { from?: string; to?: string }, now: Date): Period {
  const month = monthOf(now);
  const from = query.from === undefined ? month.from : new Date(query.from);
  const to = query.to === undefined ? month.to : new Date(query.to);
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (days <= 0 || days > LONGEST_PERIOD) {
    const detail = `The period must end after it begins and span at most ${LONGEST_PERIOD} days.`;
    throw invalid([
      { pointer: query.to === undefined ? 'query/from' : 'query/to', code: 'out_of_range', detail },
    ]);
  }
  return { from, to };
}

/** Days that have only a part in the period count, too. */
const daysIn = ({ from, to }: Period): number =>
  Math.ceil((to.getTime() - startOfDay(from.getTime())) / DAY_MS);

function presentPeriod({ from, to }: Period) {
  const month = monthOf(from);
  const isMonth = month.from.getTime() === from.getTime() && month.to.getTime() === to.getTime();
  return { from: from.toISOString(), to: to.toISOString(), is_billing_period: isMonth };
}

const presentGroup = ({ versions }: Book, { key, quantities, cost }: UsageGroup) => ({
  key,
  quantities: quantities.map(({ sku, unit, quantity, billable }) => ({
    sku,
    name: versions.get(sku)?.[0]?.entry.name ?? sku,
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
    from: Type.Optional({
      ...Time,
      description: 'Start of the period. Default: the start of the current month in UTC.',
    }),
    to: Type.Optional({
      ...Time,
      description: 'End of the period, not included. Default: the end of the current month in UTC.',
    }),
    group_by: { ...GroupBy, default: 'family' as const },
    label_key: Type.Optional(
      Type.String({
        maxLength: 63,
        description: 'With `group_by=label`, and only then: the name of the label.',
      }),
    ),
    by_day: Type.Boolean({
      default: false,
      description:
        'With every `group_by` but `day`: one group for each of these and each day in UTC. By resource and by label, a page has all days of as many as fit into `limit`, and of one at least.',
    }),
    ...pagesOf(MAX_GROUPS, MAX_GROUPS),
  }),
  answers: { 200: Usage },
  problems: [],
  example: { query: { group_by: 'family' }, answer: { status: 200, body: example } },
  async handle({ db, caller, query, services, now }) {
    const { group_by, label_key, by_day } = query;
    if ((group_by === 'label') !== (label_key !== undefined)) {
      const detail = 'Use label_key with group_by=label, and only then.';
      const code = label_key === undefined ? 'required' : 'incompatible';
      throw invalid([{ pointer: 'query/label_key', code, detail }]);
    }
    if (by_day && group_by === 'day') {
      const detail = 'Groups by day have their days already: leave out by_day.';
      throw invalid([{ pointer: 'query/by_day', code: 'incompatible', detail }]);
    }
    const period = periodOf(query, now);
    const accountId = caller.account.id;
    const list = JSON.stringify([accountId, 'getUsage', query.from, query.to, group_by, label_key, by_day]);
    const length = group_by === 'label' ? CURSOR_LENGTH.label : CURSOR_LENGTH.resource;
    const after = query.cursor === undefined ? null : services.cursors.read(list, query.cursor, length);
    const grouping = { by: group_by, labelKey: label_key, byDay: by_day };
    const limit = by_day ? Math.max(1, Math.floor(query.limit / daysIn(period))) : query.limit;
    const page = { limit, after };
    const book = bookOf(services.provider.catalogue);
    const report = await reportUsage(db, accountId, period, grouping, page, now);
    const { fixed, metered, groups, forecast, confidence, end } = report;
    return ok({
      period: presentPeriod(period),
      currency: services.provider.provider.currency,
      accrued: {
        total: formatAmount(fixed + metered),
        fixed: formatAmount(fixed),
        metered: formatAmount(metered),
      },
      forecast: { total: formatAmount(forecast), method: 'run_rate' as const, confidence },
      groups: groups.map((group) => presentGroup(book, group)),
      next_cursor: end === null ? null : services.cursors.write(list, end),
      data_complete_until: earlierOf(period.to, now).toISOString(),
      is_invoice: false as const,
    });
  },
});
