import { Link } from '@tanstack/react-router';
import { money } from '../data/money.ts';
import type { Foreseen } from '../data/types.ts';
import { ChangeList } from '../ui/change-list.tsx';
import { Notice } from '../ui/notice.tsx';
import { unturned } from '../ui/unturned.ts';

/** By how much the bill changes. */
export function CostChange({ cost, small }: { cost: Foreseen['cost']; small?: boolean }) {
  const monthly = Number(cost.monthly);
  const hourly = Number(cost.hourly);
  if (monthly === 0 && hourly === 0) return <p className="text-muted">The bill stays as it is.</p>;
  const sign = monthly < 0 || hourly < 0 ? '−' : '+';
  const amount = (text: string): string => money(text.replace('-', ''), cost.currency);
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span className={small ? 'font-semibold' : 'text-xl font-semibold'}>
        {sign} {amount(cost.monthly)}
      </span>
      <span className="text-muted">a month · {amount(cost.hourly)} an hour, net of tax</span>
    </p>
  );
}

/** What the dry run says: price, budgets without room, what is lost, what loosens, what to know. */
export function ForeseenNotes({ foreseen, quiet }: { foreseen: Foreseen; quiet?: boolean }) {
  const { exceeds_budgets: budgets, tightest_budget: tightest, effects, changes, warnings } = foreseen;
  const { currency } = foreseen.cost;
  const losses = effects.flatMap((effect) => (effect.loss ? [{ effect, loss: effect.loss }] : []));
  const isLoosening = changes.some(({ loosens }) => loosens);
  return (
    <div className="grid gap-3">
      {!quiet && changes.length > 0 && <ChangeList changes={changes} />}
      {quiet && isLoosening && <ChangeList changes={changes.filter(({ loosens }) => loosens)} />}
      {losses.map(({ effect, loss }) => (
        <Notice key={`${effect.type} ${effect.id}`} tone={loss.recoverable ? 'warn' : 'bad'}>
          {loss.recoverable ? 'For now you lose' : 'Lost for good'}: {loss.what}
        </Notice>
      ))}
      {budgets.map((budget) => (
        <Notice key={budget.budget_id} tone="warn">
          A budget has no room for this: {money(budget.committed, currency)} of{' '}
          {money(budget.amount, currency)} a month are taken, and this adds{' '}
          {money(budget.requested, currency)}.
        </Notice>
      ))}
      {tightest !== null && budgets.length === 0 && (
        <p className="text-sm text-muted">
          This leaves {money(tightest.left, currency)} of {money(tightest.amount, currency)} a month in the
          budget{' '}
          <Link to="/budgets" className="link wrap-anywhere">
            {unturned(tightest.name)}
          </Link>
          .
        </p>
      )}
      {warnings.map(({ code, detail }) => (
        <Notice key={code} tone="warn">
          {detail}
        </Notice>
      ))}
    </div>
  );
}
