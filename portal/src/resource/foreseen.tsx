import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { budgetsQuery } from '../data/account-queries.ts';
import { money } from '../data/money.ts';
import { useAccount } from '../data/session.ts';
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

/** What the price consists of. One part alone is the price. */
export function CostLines({ cost: { lines, currency } }: { cost: Foreseen['cost'] }) {
  if (lines.length < 2) return null;
  return (
    <ul aria-label="What the price consists of" className="grid gap-1 border-y border-line py-3 text-sm">
      {lines.map(({ description, monthly }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two volumes may have the same words, and no line has a state.
        <li key={at} className="flex justify-between gap-4">
          <span className="min-w-0 wrap-anywhere text-muted">{description}</span>
          <span className="whitespace-nowrap">{money(monthly, currency)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The budgets that this does not fit into, all in one place: what each of them does about it. */
function WithoutRoom({ budgets, currency }: { budgets: Foreseen['exceeds_budgets']; currency: string }) {
  const known = useQuery(budgetsQuery(useAccount())).data ?? [];
  return (
    <Notice tone="warn">
      <ul className="grid gap-2">
        {budgets.map(({ budget_id: id, amount, committed, spent, requested }) => {
          const budget = known.find((each) => each.id === id);
          const taken = money(budget?.blocks === 'spent' ? spent : committed, currency);
          return (
            <li key={id}>
              The budget{' '}
              <Link to="/budgets" className="underline wrap-anywhere">
                {unturned(budget?.name ?? id)}
              </Link>{' '}
              has no room for this: {taken} of {money(amount, currency)} a month are taken, and this adds{' '}
              {money(requested, currency)}.
              {budget && (budget.action === 'notify' ? ' It warns only.' : ' It refuses this.')}
            </li>
          );
        })}
      </ul>
    </Notice>
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
      {budgets.length > 0 && <WithoutRoom budgets={budgets} currency={currency} />}
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
