import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usageQuery } from '../../data/account-queries.ts';
import { money } from '../../data/money.ts';
import type { Account } from '../../data/types.ts';
import { Section } from '../../ui/states.tsx';

export function CostSoFar({ account }: { account: Account }) {
  const usage = useQuery(usageQuery(account, { group_by: 'family' })).data;
  if (usage === undefined) return null;
  const { accrued, forecast, currency } = usage;
  return (
    <Section title="Cost">
      <Link
        to="/usage"
        className="card grid gap-x-10 gap-y-4 p-5 transition-colors hover:border-accent sm:grid-cols-[auto_auto_1fr] sm:items-end"
      >
        <Amount title="This month so far">{money(accrued.total, currency)}</Amount>
        <Amount title="Forecast for the month">{money(forecast.total, currency)}</Amount>
        <span className="link text-sm sm:justify-self-end">See by day and product</span>
      </Link>
    </Section>
  );
}

const Amount = ({ title, children }: { title: string; children: string }) => (
  <span>
    <span className="block text-sm text-muted">{title}</span>
    <span className="block text-xl font-semibold tracking-tight">{children}</span>
  </span>
);
