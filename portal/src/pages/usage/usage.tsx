import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usageQuery } from '../../data/account-queries.ts';
import type { Usage as Report, UsageGroup } from '../../data/account-types.ts';
import { csvOf, download } from '../../data/csv.ts';
import { money, roundMoney } from '../../data/money.ts';
import { useAccount } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Chart } from '../../ui/chart.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Figure, FigureRow } from '../../ui/figure.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Empty, Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Breakdown, groupName, sku } from './breakdown.tsx';
import {
  daysOf,
  isPeriodName,
  type PeriodName,
  periodNames,
  periodOf,
  placeOf,
  saidPeriod,
} from './periods.ts';

const groupings = {
  family: 'Product',
  type: 'Kind of resource',
  resource: 'Resource',
  location: 'Location',
  label: 'Label',
} as const;
type Grouping = keyof typeof groupings;

const confidences: Readonly<Record<string, string>> = {
  low: 'A first guess: little of the period is over, or much has changed.',
  medium: 'Likely, if all runs on as it does now.',
  high: 'Nearly certain, if all runs on as it does now.',
};

export default function Usage() {
  const account = useAccount();
  const asked = useSearch({ strict: false }) as { period?: string; by?: string; label?: string };
  const name: PeriodName = isPeriodName(asked.period) ? asked.period : 'month';
  const by = (Object.hasOwn(groupings, asked.by ?? '') ? asked.by : 'family') as Grouping;
  const period = periodOf(name);
  const navigate = useNavigate();
  const go = (changed: Record<string, string>): void => {
    const search = Object.fromEntries(
      Object.entries({ ...asked, ...changed }).filter(([, value]) => Boolean(value)),
    ) as Record<string, string>;
    void navigate({ to: '/usage', search, replace: true });
  };
  const needsLabel = by === 'label' && !asked.label;
  const days = useQuery(usageQuery(account, { ...period, group_by: 'day' }));
  const groups = useQuery({
    ...usageQuery(account, { ...period, group_by: by, label_key: by === 'label' ? asked.label : undefined }),
    enabled: !needsLabel,
  });
  return (
    <>
      <PageHead
        title="Usage"
        act={
          <Button
            why={groups.data === undefined ? 'The figures are not there yet.' : undefined}
            onClick={() => groups.data && save(groups.data, by, asked.label)}
          >
            <Icon name="download" />
            CSV
          </Button>
        }
      >
        What {account.name} has used and what it costs, net of tax. This is no invoice.
      </PageHead>
      <Filters label="What is shown">
        <SelectField label="Period" value={name} onChange={(event) => go({ period: event.target.value })}>
          {Object.entries(periodNames).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </SelectField>
        <SelectField label="Split by" value={by} onChange={(event) => go({ by: event.target.value })}>
          {Object.entries(groupings).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </SelectField>
        {by === 'label' && (
          <TextField
            label="Label"
            placeholder="env"
            autoComplete="off"
            spellCheck={false}
            key={asked.label ?? ''}
            defaultValue={asked.label ?? ''}
            onBlur={(event) => go({ label: event.target.value.trim() })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') go({ label: event.currentTarget.value.trim() });
            }}
          />
        )}
      </Filters>
      <Loaded query={days} rows={6}>
        {(report) => <Days report={report} now={name === 'month'} />}
      </Loaded>
      <Section title={`By ${groupings[by].toLowerCase()}`}>
        {needsLabel ? (
          <Empty title="Which label?">Name a label of your resources above, such as env or team.</Empty>
        ) : (
          <Loaded query={groups} rows={4}>
            {(report) => <Breakdown account={account} report={report} />}
          </Loaded>
        )}
      </Section>
    </>
  );
}

function Days({ report, now }: { report: Report; now: boolean }) {
  const { currency, accrued, forecast, period } = report;
  const costs = new Map(report.groups.map(({ key, cost }) => [key.day, Number(cost)]));
  const days = daysOf(period);
  const inMoney = (value: number): string => money(value, currency);
  return (
    <>
      <FigureRow>
        <Figure title="Cost so far" note={saidPeriod(period)}>
          {money(accrued.total, currency)}
        </Figure>
        {now && (
          <Figure title="Forecast for the month" note={confidences[forecast.confidence]}>
            {money(forecast.total, currency)}
          </Figure>
        )}
        <Figure title="By time" note="What exists, by the hour or month.">
          {money(accrued.fixed, currency)}
        </Figure>
        <Figure title="By use" note="Such as traffic beyond what is included.">
          {money(accrued.metered, currency)}
        </Figure>
      </FigureRow>
      <Section title="By day" act={<BudgetLink />}>
        <div className="card px-3 py-4 md:px-5">
          <Chart
            label="Cost by day"
            kind="bars"
            placeName="Day, in UTC"
            places={days.map(placeOf)}
            series={[{ name: 'Cost', values: days.map((day) => costs.get(day) ?? 0) }]}
            format={inMoney}
            formatTick={(value) => roundMoney(value, currency)}
          />
        </div>
      </Section>
    </>
  );
}

const BudgetLink = () => (
  <Link to="/budgets" className="link text-sm">
    Budgets
  </Link>
);

/** One line for each item of the price list in each group. */
function save({ groups, currency, period }: Report, by: string, label: string | undefined): void {
  const head = [
    label === undefined ? by : `${by} ${label}`,
    'sku',
    'unit',
    'quantity',
    'included',
    'billable',
  ];
  const lines = groups.flatMap((group: UsageGroup) => [
    ...group.quantities.map((each) => [
      groupName(group.key),
      each.sku,
      each.unit,
      each.quantity,
      each.included,
      each.billable,
      '',
    ]),
    [groupName(group.key), sku(group), '', '', '', '', group.cost],
  ]);
  download(
    `usage-${period.from.slice(0, 10)}-${by}.csv`,
    csvOf([[...head, `group_cost_${currency.toLowerCase()}`], ...lines]),
  );
}
