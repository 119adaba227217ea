import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usageQuery } from '../../data/account-queries.ts';
import type { Usage as Report } from '../../data/account-types.ts';
import { csvOf, download } from '../../data/csv.ts';
import { useAccount } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Empty, Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Breakdown, groupName } from './breakdown.tsx';
import { Days } from './days.tsx';
import {
  boundsOf,
  isPeriodName,
  monthSoFar,
  type OwnDates,
  ownPeriod,
  type PeriodName,
  periodNames,
  periodOf,
  whyNoPeriod,
} from './periods.ts';
import { linesOf } from './table.ts';

const groupings = {
  family: 'Product',
  type: 'Kind of resource',
  resource: 'Resource',
  location: 'Location',
  label: 'Label',
} as const;
type Grouping = keyof typeof groupings;

export default function Usage() {
  const account = useAccount();
  const asked = useSearch({ strict: false }) as OwnDates & { period?: string; by?: string; label?: string };
  const name: PeriodName = isPeriodName(asked.period) ? asked.period : 'month';
  const by = (Object.hasOwn(groupings, asked.by ?? '') ? asked.by : 'family') as Grouping;
  const why = name === 'own' ? whyNoPeriod(asked) : undefined;
  const period = name === 'own' ? (why === undefined ? ownPeriod(asked) : periodOf('month')) : periodOf(name);
  const navigate = useNavigate();
  const go = (changed: Record<string, string | undefined>): void => {
    const search = Object.fromEntries(
      Object.entries({ ...asked, ...changed }).filter(([, value]) => Boolean(value)),
    ) as Record<string, string>;
    void navigate({ to: '/usage', search, replace: true });
  };
  const needsLabel = by === 'label' && !asked.label;
  // Resources and labels may be thousands: their days are split by product.
  const stackedBy = by === 'type' || by === 'location' ? by : 'family';
  const days = useQuery({
    ...usageQuery(account, { ...period, group_by: stackedBy, by_day: 'true' }),
    enabled: why === undefined,
  });
  const groups = useQuery({
    ...usageQuery(account, { ...period, group_by: by, label_key: by === 'label' ? asked.label : undefined }),
    enabled: !needsLabel && why === undefined,
  });
  const bounds = boundsOf(asked);
  // With its days, where the API has them.
  const saved = by === stackedBy ? days : groups;
  const whyNotSaved = saved.isError
    ? 'The server did not give the figures.'
    : saved.data === undefined
      ? 'The figures are not there yet.'
      : undefined;
  return (
    <>
      <PageHead
        title="Usage"
        act={
          <>
            {saved.isError && <span className="self-center text-sm text-muted">{whyNotSaved}</span>}
            <Button
              why={saved.data === undefined ? whyNotSaved : undefined}
              onClick={() => saved.data && save(saved.data, by, asked.label)}
            >
              <Icon name="download" />
              CSV
            </Button>
          </>
        }
      >
        What {account.name} has used and what it costs, net of tax. This is no invoice.
      </PageHead>
      <Filters label="What is shown">
        <SelectField
          label="Period"
          value={name}
          onChange={({ target: { value } }) =>
            go({
              period: value,
              ...(value === 'own' ? monthSoFar() : { from: undefined, until: undefined }),
            })
          }
        >
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
        {name === 'own' && (
          <>
            <TextField
              label="From"
              type="date"
              value={asked.from ?? ''}
              {...bounds.from}
              onChange={(event) => go({ from: event.target.value })}
            />
            <TextField
              label="Until"
              type="date"
              value={asked.until ?? ''}
              fault={why}
              {...bounds.until}
              onChange={(event) => go({ until: event.target.value })}
            />
          </>
        )}
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
      {why === undefined && (
        <>
          <div className={days.data === undefined ? 'mb-8' : ''}>
            <Loaded query={days} rows={6}>
              {(report) => <Days report={report} by={stackedBy} />}
            </Loaded>
          </div>
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
      )}
    </>
  );
}

function save(report: Report, by: string, label: string | undefined): void {
  const title = label === undefined ? by : `${by} ${label}`;
  download(`usage-${report.period.from.slice(0, 10)}-${by}.csv`, csvOf(linesOf(report, title, groupName)));
}
