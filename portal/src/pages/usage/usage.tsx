import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usageQuery } from '../../data/account-queries.ts';
import { useAccount } from '../../data/session.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Empty, Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Breakdown } from './breakdown.tsx';
import { Days } from './days.tsx';
import { ExportCsv } from './export-csv.tsx';
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
  return (
    <>
      <PageHead
        title="Usage"
        act={
          <ExportCsv
            account={account}
            asked={{ ...period, group_by: by, label_key: by === 'label' ? asked.label : undefined }}
            why={needsLabel ? 'Name a label first.' : why && 'These dates cannot be shown.'}
          />
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
