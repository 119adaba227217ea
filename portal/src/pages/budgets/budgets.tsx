import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useWhyNot } from '../../data/access.ts';
import { budgetsQuery } from '../../data/account-queries.ts';
import type { Budget } from '../../data/account-types.ts';
import { money } from '../../data/money.ts';
import { useAccount } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { count, spoken } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Empty, Loaded, PageHead } from '../../ui/states.tsx';
import type { Tone } from '../../ui/tone.ts';
import { unturned } from '../../ui/unturned.ts';
import { BudgetForm } from './budget-form.tsx';
import { BudgetMenu } from './budget-menu.tsx';

const states: Readonly<Record<Budget['status'], readonly [string, Tone]>> = {
  ok: ['within', 'good'],
  warning: ['warning', 'warn'],
  exceeded: ['spent', 'bad'],
  blocking: ['spent, blocks', 'bad'],
};

/** Of a budget that looks at whole months, what runs may take everything long before it is spent. */
const isFull = ({ blocks, committed, amount }: Budget): boolean =>
  blocks === 'forecast' && Number(committed) >= Number(amount);

function stateOf(budget: Budget): readonly [string, Tone] {
  const [word, tone] = states[budget.status];
  if (tone === 'bad' || !isFull(budget)) return [word, tone];
  return budget.action === 'notify' ? ['no room', 'warn'] : ['no room, refuses', 'bad'];
}

/** What new things have to fit beside. */
function Taken({ budget }: { budget: Budget }) {
  const { committed, amount, currency } = budget;
  return (
    <p className="mt-3 text-sm text-muted">
      What runs or is being created takes {money(committed, currency)} in a whole month:{' '}
      {isFull(budget)
        ? 'nothing is left for more.'
        : `${money(Number(amount) - Number(committed), currency)} are left for more.`}
    </p>
  );
}

export default function Budgets() {
  const account = useAccount();
  const why = useWhyNot()('setBudget');
  const query = useQuery(budgetsQuery(account));
  const { edit } = useSearch({ strict: false }) as { edit?: string };
  const navigate = useNavigate();
  const go = (id?: string): void =>
    void navigate({
      to: '/budgets',
      search: (id === undefined ? {} : { edit: id }) as Record<string, string>,
    });
  const create = (
    <Button kind="primary" why={why} onClick={() => go('new')}>
      <Icon name="plus" />
      Create a budget
    </Button>
  );
  return (
    <>
      <PageHead title="Budgets" act={query.data?.length === 0 ? undefined : create}>
        What a month may cost. A budget warns at its thresholds, and can refuse calls that add cost.
      </PageHead>
      <Loaded query={query} rows={3}>
        {(budgets) => (
          <>
            {budgets.length === 0 ? (
              <Empty title="No budget yet" act={create}>
                Begin with one for the whole account: you get a mail before the month becomes dearer than you
                want.
              </Empty>
            ) : (
              <ul className="grid gap-4 xl:grid-cols-2">
                {budgets.map((budget) => (
                  <li key={budget.id}>
                    <Card account={account} budget={budget} edit={() => go(budget.id)} />
                  </li>
                ))}
              </ul>
            )}
            {edit !== undefined && why === undefined && (
              <BudgetForm
                key={edit}
                account={account}
                budget={budgets.find(({ id }) => id === edit)}
                close={() => go()}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function scopeWords({ families, label_selector: labels, api_key_ids: keys }: Budget['scope']): string {
  const parts = [
    ...(families === null ? [] : [families.map(spoken).join(', ')]),
    ...(labels === null ? [] : [`with ${labels}`]),
    ...(keys === null ? [] : [`made by ${count(keys.length, 'key')}`]),
  ];
  return parts.length === 0 ? 'The whole account' : parts.join(', ');
}

function Card({ account, budget, edit }: { account: Account; budget: Budget; edit: () => void }) {
  const [word, tone] = stateOf(budget);
  const { currency, thresholds } = budget;
  const isCrossed = (percent: number, basis: string): boolean =>
    budget.crossed.some((each) => each.percent === percent && each.basis === basis);
  return (
    <article className="card h-full p-5" aria-label={budget.name}>
      <header className="mb-3 flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h2 className="font-medium wrap-anywhere">{budget.name}</h2>
          <p className="text-sm text-muted wrap-anywhere">
            {unturned(budget.description) || scopeWords(budget.scope)}
          </p>
        </div>
        <div className="-mt-1.5 -mr-2">
          <BudgetMenu account={account} budget={budget} edit={edit} />
        </div>
      </header>
      <p className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <span className="text-xl font-semibold tracking-tight">{money(budget.spent, currency)}</span>
        <span className="text-muted">of {money(budget.amount, currency)} this month</span>
      </p>
      <Progress
        label={`${budget.name}: part of the amount that is spent`}
        percent={budget.percent_used}
        tone={tone === 'good' ? 'info' : tone === 'warn' ? 'warn' : 'bad'}
        marks={thresholds.map(({ percent }) => percent)}
      />
      <p className="mt-2 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
        <span>{budget.percent_used} % spent</span>
        <span>Forecast {money(budget.forecast, currency)}</span>
      </p>
      {budget.blocks === 'forecast' && <Taken budget={budget} />}
      <p className="mt-4 flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{word}</Badge>
        {budget.locked && <Badge tone="info">locked</Badge>}
        {thresholds.map(({ percent, basis }) => (
          <Badge
            key={`${percent} ${basis}`}
            tone={isCrossed(percent, basis) ? 'warn' : 'plain'}
            dot={isCrossed(percent, basis)}
          >
            {percent} %{basis === 'forecast' ? ' forecast' : ''}
          </Badge>
        ))}
      </p>
      <p className="mt-3 text-sm text-muted">
        {budget.action === 'notify'
          ? 'Warns only.'
          : budget.blocks === 'spent'
            ? 'Refuses calls that add cost after it is spent.'
            : 'Refuses calls that add cost beyond it.'}
        {budget.description !== '' && ` ${scopeWords(budget.scope)}.`}
      </p>
    </article>
  );
}
