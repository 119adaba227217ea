import type { Command } from 'commander';
import {
  type Action,
  actions,
  type Blocking,
  bases,
  blockings,
  type Threshold,
} from '../../money/budgets/budget.ts';
import type { BudgetView } from '../../money/budgets/view.ts';
import {
  deleteBudget,
  listBudgets,
  lockBudget,
  type SetBudget,
  setBudget,
  unlockBudget,
} from '../../portal-api/budgets/budgets.ts';
import { chooseAccount, chooseKey } from './choice.ts';
import type { Cli, Desk, Output } from './command.ts';
import { choice, given } from './options.ts';
import { Refusal } from './refusal.ts';
import { facts, table } from './table.ts';

const thresholdsOf = ({ thresholds }: BudgetView): string[] =>
  thresholds.map(({ percent, basis }) => `${percent} % (${basis})`);

function scopeOf({ scope }: BudgetView): string {
  const parts = [
    scope.families && `families ${scope.families.join(', ')}`,
    scope.label_selector && `labels ${scope.label_selector}`,
    scope.api_key_ids && `keys ${scope.api_key_ids.join(', ')}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'the whole account' : parts.join('; ');
}

function shown(budget: BudgetView): Output {
  const { id, name, currency, locked, status, action, blocks, emails, description } = budget;
  const text = facts({
    id,
    name,
    amount: `${budget.amount} ${currency} a month`,
    spent: `${budget.spent} ${currency} (${budget.percent_used} %)`,
    forecast: `${budget.forecast} ${currency}`,
    committed: `${budget.committed} ${currency}`,
    status,
    scope: scopeOf(budget),
    thresholds: thresholdsOf(budget),
    action,
    blocks,
    emails,
    locked,
    description,
  });
  return { json: budget, text };
}

async function findBudget(desk: Desk, accountId: string, named: string): Promise<BudgetView> {
  const budget = (await listBudgets(desk.db, accountId)).find(
    ({ id, name }) => id === named || name === named,
  );
  if (budget !== undefined) return budget;
  throw new Refusal(
    `No budget of the account has the id or the name "${named}". See: hostplane admin budgets list`,
  );
}

const collect = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(',').map((part) => part.trim()),
];

function readThreshold(text: string): Threshold {
  const match = /^(\d{1,3})(?::(\w+))?$/.exec(text);
  const basis = bases.find((known) => known === (match?.[2] ?? 'actual'));
  if (match && basis !== undefined) return { percent: Number(match[1]), basis };
  throw new Refusal(`"${text}" is not a threshold. Write 80 (percent spent) or 100:forecast.`, 2);
}

interface SetOptions {
  amount?: string;
  threshold?: string[];
  action?: Action;
  blocks?: Blocking;
  family?: string[];
  labelSelector?: string;
  key?: string[];
  email?: string[];
  description?: string;
  wholeAccount?: true;
}

async function scopeFor(desk: Desk, accountId: string, options: SetOptions, before: BudgetView | undefined) {
  if (options.wholeAccount) return {};
  const keys = options.key ?? [];
  const ids: string[] = [];
  for (const key of keys) ids.push((await chooseKey(desk, accountId, key)).id);
  const { family, labelSelector } = options;
  const named = given({
    families: family,
    label_selector: labelSelector,
    api_key_ids: keys.length === 0 ? undefined : ids,
  });
  return { ...before?.scope, ...named };
}

/** Options that are not given keep the value of the existing budget, or take the default for a new budget. */
async function inputOf(
  desk: Desk,
  accountId: string,
  named: string,
  options: SetOptions,
): Promise<SetBudget> {
  const all = await listBudgets(desk.db, accountId);
  const before = all.find(({ id, name }) => id === named || name === named);
  const kept = before && {
    amount: before.amount,
    thresholds: before.thresholds,
    action: before.action,
    blocks: before.blocks,
    emails: before.emails,
    description: before.description,
  };
  const { amount, threshold, action, blocks, email, description } = options;
  const wanted = given({
    amount,
    thresholds: threshold?.map(readThreshold),
    action,
    blocks,
    emails: email,
    description,
  });
  const scope = await scopeFor(desk, accountId, options, before);
  // `setBudget` validates the input and reports missing members.
  return { account_id: accountId, budget: named, ...kept, ...wanted, scope } as SetBudget;
}

function addSet(budgets: Command, cli: Cli, which: string): void {
  budgets
    .command('set')
    .description('create a budget, or change the given options of an existing one, even if it is locked')
    .argument('<budget>', which)
    .option('--amount <amount>', 'what may be spent in a month, such as 250 or 99.50')
    .option(
      '--threshold <percent>',
      'when to notify: 80, or 100:forecast; separate several with commas',
      collect,
    )
    .addOption(
      choice('--action <action>', actions, 'what happens when the budget is used up (default: notify)'),
    )
    .addOption(
      choice(
        '--blocks <what>',
        blockings,
        'block_new_cost looks at what is spent, or also ahead (default: forecast)',
      ),
    )
    .option('--family <family>', 'count only these product families; separate several with commas', collect)
    .option('--label-selector <selector>', 'count only resources with these labels')
    .option(
      '--key <key>',
      'count only what these API keys created (id or name); separate several with commas',
      collect,
    )
    .option('--whole-account', 'count the whole account again')
    .option(
      '--email <address>',
      'whom to notify: members or contacts of the account; separate several with commas',
      collect,
    )
    .option('--description <text>')
    .action(
      cli.atDesk<SetOptions>(async (desk, options, args) => {
        const account = await chooseAccount(desk);
        const input = await inputOf(desk, account.id, args[0] ?? '', options);
        return shown(await setBudget(desk.db, desk.actor, input, desk.config.catalogue));
      }),
    );
}

export function addBudgets(program: Command, cli: Cli): void {
  const budgets = program.command('budgets').description('what an account may spend in a month');
  const WHICH = 'name or id';

  budgets
    .command('list')
    .description('all budgets with what was spent')
    .action(
      cli.atDesk(async (desk) => {
        const account = await chooseAccount(desk);
        const found = await listBudgets(desk.db, account.id);
        const rows = found.map((budget) => ({
          name: budget.name,
          amount: `${budget.amount} ${budget.currency}`,
          spent: budget.spent,
          forecast: budget.forecast,
          status: budget.status,
          action: budget.action,
          locked: budget.locked,
          scope: scopeOf(budget),
        }));
        return { json: found, text: table(rows, 'The account has no budgets.') };
      }),
    );

  addSet(budgets, cli, WHICH);

  const switches = [
    ['lock', 'forbid API keys to loosen or delete a budget', lockBudget],
    ['unlock', 'allow API keys to loosen and delete a budget again', unlockBudget],
  ] as const;
  for (const [name, description, act] of switches) {
    budgets
      .command(name)
      .description(description)
      .argument('<budget>', WHICH)
      .action(
        cli.atDesk(async (desk, _, args) => {
          const account = await chooseAccount(desk);
          const { id } = await findBudget(desk, account.id, args[0] ?? '');
          return shown(await act(desk.db, desk.actor, { account_id: account.id, budget: id }));
        }),
      );
  }

  budgets
    .command('delete')
    .description('delete a budget, even a locked one; it no longer blocks any call')
    .argument('<budget>', WHICH)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const account = await chooseAccount(desk);
        const { id, name, action } = await findBudget(desk, account.id, args[0] ?? '');
        const effect =
          action === 'block_new_cost'
            ? 'Calls that add cost are allowed again'
            : 'Nobody is notified any more';
        await desk.confirm(`The budget ${name} is deleted for good. ${effect}.`);
        const removed = await deleteBudget(desk.db, desk.actor, { account_id: account.id, budget: id });
        return { json: removed, text: facts({ removed: name }) };
      }),
    );
}
