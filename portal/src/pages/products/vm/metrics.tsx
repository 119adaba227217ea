import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { get } from '../../../data/http.ts';
import { filled, nounNamed } from '../../../data/nouns.ts';
import { calls, useAccount } from '../../../data/session.ts';
import { formatTime } from '../../../data/words.ts';
import { useSearchValues } from '../../../resource/search-values.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Button } from '../../../ui/button.tsx';
import { Chart } from '../../../ui/chart.tsx';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { chartsOf, isEmpty, type MetricChart, type MetricSeries } from './metric-charts.ts';

interface Answer {
  readonly series: readonly MetricSeries[];
}

interface Range {
  readonly title: string;
  readonly seconds: number;
  /** Between two points. A chart has no room for more of them. */
  readonly step: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const FIRST = '1h';

const ranges: Readonly<Record<string, Range>> = {
  [FIRST]: { title: '1 hour', seconds: HOUR, step: 60 },
  '1d': { title: '1 day', seconds: DAY, step: 300 },
  '7d': { title: '7 days', seconds: 7 * DAY, step: 1800 },
  '30d': { title: '30 days', seconds: 30 * DAY, step: 7200 },
};

/** In milliseconds: a new point comes each minute. */
const MINUTE = 60_000;

export default function Metrics({ found }: { found: Found }) {
  const account = useAccount();
  const { families, path, row } = found;
  const { range: asked } = useSearchValues();
  const chosen = asked !== undefined && asked in ranges ? asked : FIRST;
  const range = ranges[chosen]!;
  const url = `${calls(account)}${filled(nounNamed(families, 'vm_metrics')?.read?.path ?? '', path)}`;
  const query = useQuery({
    queryKey: [account.id, 'metrics', url, chosen],
    queryFn: ({ signal }) => {
      const to = Date.now();
      const from = new Date(to - range.seconds * 1000).toISOString();
      const wanted = { from, to: new Date(to).toISOString(), step_seconds: String(range.step) };
      return get<Answer>(`${url}?${new URLSearchParams(wanted)}`, signal);
    },
    refetchInterval: MINUTE,
    placeholderData: keepPreviousData,
  });
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <nav aria-label="Time range" className="flex rounded-md border border-line bg-surface p-0.5">
          {Object.entries(ranges).map(([key, { title }]) => (
            <Link
              key={key}
              to="."
              search={(before: object) => ({ ...before, range: key })}
              replace
              aria-current={key === chosen ? 'true' : undefined}
              className={`rounded px-3 py-1.5 text-sm max-md:py-2.5 ${key === chosen ? 'bg-accent-soft font-medium text-accent-ink' : 'text-muted hover:text-ink'}`}
            >
              {title}
            </Link>
          ))}
        </nav>
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Refresh
        </Button>
      </div>
      <Loaded query={query} rows={6}>
        {({ series }) => {
          const charts = chartsOf(series, row);
          return charts.every(isEmpty) ? (
            <Empty title="Nothing has been measured in this time">
              A machine that runs is measured every minute.
            </Empty>
          ) : (
            <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
              {charts.map((chart) => (
                <OneChart key={`${chart.title} ${chart.unit}`} chart={chart} long={range.seconds > DAY} />
              ))}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const number = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });

function OneChart({ chart, long }: { chart: MetricChart; long: boolean }) {
  const { title, series, seconds, unit, least } = chart;
  const format = (value: number): string => `${number.format(value)} ${unit}`;
  return (
    <section className="card min-w-0 p-4 md:p-5">
      <h2 className="mb-3 font-medium">{title}</h2>
      <Chart
        label={title}
        kind="lines"
        places={seconds.map((each) => {
          const at = new Date(each * 1000);
          return { name: formatTime(at.toISOString()), short: (long ? day : time).format(at) };
        })}
        series={series}
        format={format}
        placeName="Time"
        least={least}
        height={200}
      />
    </section>
  );
}
