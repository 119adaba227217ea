import { Link } from '@tanstack/react-router';
import type { Usage } from '../../data/account-types.ts';
import { money, roundMoney } from '../../data/money.ts';
import { Chart } from '../../ui/chart.tsx';
import { Figure, FigureRow } from '../../ui/figure.tsx';
import { Section } from '../../ui/states.tsx';
import { useGroupWords } from './breakdown.tsx';
import { daysOf, placeOf, saidPeriod } from './periods.ts';
import { stacksOf } from './stacks.ts';

const confidences: Readonly<Record<string, string>> = {
  low: 'A first guess: little of the period is over, or much has changed.',
  medium: 'Likely, if all runs on as it does now.',
  high: 'Nearly certain, if all runs on as it does now.',
};

const words = { family: 'product', type: 'kind of resource', location: 'location' } as const;

export function Days({ report, by }: { report: Usage; by: keyof typeof words }) {
  const { currency, accrued, forecast, period, groups } = report;
  const wordsOf = useGroupWords();
  const days = daysOf(period);
  const stacks = stacksOf(groups, days);
  const isOpen = Date.parse(period.to) > Date.parse(report.data_complete_until);
  const inMoney = (value: number): string => money(value, currency);
  return (
    <>
      <FigureRow>
        <Figure title="Cost so far" note={saidPeriod(period)}>
          {money(accrued.total, currency)}
        </Figure>
        {isOpen && (
          <Figure
            title={period.is_billing_period ? 'Forecast for the month' : 'Forecast for the period'}
            note={confidences[forecast.confidence]}
          >
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
      <Section
        title={`By day and ${words[by]}`}
        act={
          <Link to="/budgets" className="link text-sm">
            Budgets
          </Link>
        }
      >
        <div className="card px-3 py-4 md:px-5">
          <Chart
            label={`Cost by day and ${words[by]}`}
            kind="bars"
            placeName="Day, in UTC"
            places={days.map(placeOf)}
            series={stacks.map(({ key, values }) => ({
              name:
                key === null ? (stacks.length === 1 ? 'Cost' : 'Others') : (wordsOf(key) ?? 'No location'),
              values,
            }))}
            format={inMoney}
            formatTick={(value) => roundMoney(value, currency)}
          />
        </div>
      </Section>
    </>
  );
}
