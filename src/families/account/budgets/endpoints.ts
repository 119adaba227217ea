import { forGood, forNow } from '../../../kernel/effect.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { findDeclared, findNamed, NameOrId, type Reference } from '../../../kernel/named/named.ts';
import { dateFilters, List, ListQuery, nameFilter } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint, noContent, ok } from '../../../kernel/record.ts';
import { periodOf } from '../../../money/budgets/budget.ts';
import { tellChange } from '../../../money/budgets/change-events.ts';
import {
  declare,
  findLoosenings,
  refuseFaults,
  refuseLoosening,
} from '../../../money/budgets/declaration.ts';
import { figuresOf } from '../../../money/budgets/figures.ts';
import { lookBack } from '../../../money/budgets/retrospect/retrospect.ts';
import { SetBudget } from '../../../money/budgets/schema.ts';
import { lockBudget, removeBudget } from '../../../money/budgets/store.ts';
import { viewBudget } from '../../../money/budgets/view.ts';
import { declarationOf, writeBudget } from '../../../money/budgets/write-budget.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { Budget, exampleBudget } from './schema.ts';
import { readBudgets } from './store.ts';

export const listBudgets = endpoint({
  id: 'listBudgets',
  method: 'GET',
  path: '/account/v1/budgets',
  summary: 'List budgets',
  description: 'Monthly budgets, each with the cost so far, the forecast for the month, and the status.',
  permission: 'account:budgets:read',
  access: 'read',
  resource: { name: 'budget', role: 'list' },
  query: ListQuery(
    { ...nameFilter, ...dateFilters },
    { sort: ['created_at', '-created_at', 'name', '-name'] },
  ),
  answers: { 200: List(Budget) },
  problems: [],
  example: { answer: { status: 200, body: { data: [exampleBudget], next_cursor: null } } },
  async handle(call) {
    const { rows, nextCursor } = await readBudgets(call);
    const figures = await figuresOf(call.db, call.caller.account.id, rows, call.now);
    const data = rows.flatMap((row, i) => {
      const own = figures[i];
      return own === undefined ? [] : [viewBudget(row, own)];
    });
    return ok({ data, next_cursor: nextCursor });
  },
});

export const setBudget = endpoint({
  id: 'setBudget',
  method: 'PUT',
  path: '/account/v1/budgets/{id}',
  summary: 'Declare a budget',
  description:
    'A new name creates a budget; an existing name or an id replaces that budget, and members left out get their defaults. A change loosens a budget if it raises the amount, removes or changes a threshold, narrows the scope, ends the blocking, sets `blocks` to `spent`, or removes an address from `emails`. To loosen a budget is destructive: keys that need approval for destructive calls need it for that. A budget that a person has locked cannot be loosened at all. A dry run lists the calls of the last 30 days that were made after the amount was spent and would have been refused.',
  permission: 'account:budgets:write',
  access: 'write',
  resource: { name: 'budget', role: 'declare' },
  params: NameOrId('bud'),
  body: SetBudget,
  answers: { 200: Budget, 201: Budget },
  problems: ['portal_only', 'quota_exceeded', 'secret_in_text'],
  example: {
    params: { id: 'agents' },
    body: {
      amount: '250.00',
      description: 'What our agents may spend',
      scope: { families: ['flexible-vps'], label_selector: 'team=agents' },
      thresholds: [{ percent: 80 }, { percent: 100, basis: 'forecast' }],
      action: 'block_new_cost',
    },
    answer: { status: 200, body: exampleBudget },
  },
  async handle(call) {
    const { db, caller, services, body, now, effect, event } = call;
    const accountId = caller.account.id;
    refuseFaults(body);
    const target = await findDeclared(
      call,
      'budget',
      (reference) => lockBudget(db, accountId, reference, periodOf(now)),
      ({ id, version }) => etagOf(id, version),
    );
    const declaration = await declare(db, accountId, body);
    if (target.existing === null) await requireRoom(call, 'account.budgets');
    const loosenings =
      target.existing === null
        ? []
        : await findLoosenings(db, accountId, declarationOf(target.existing), declaration);
    if (target.existing?.locked) refuseLoosening(loosenings);
    const loss =
      loosenings.length === 0 ? {} : { loss: forNow(`A part of the limit. ${loosenings.join(' ')}`) };
    const { budget, figures, changes, events } = await writeBudget(db, accountId, target, declaration, now);
    const action = target.existing === null ? 'create' : changes.length === 0 ? 'none' : 'update';
    effect({ action, type: 'budget', id: budget.id, name: budget.name, changes, ...loss });
    events.forEach(event);
    (await lookBack(db, services.registry, accountId, budget, now)).forEach(call.warn);
    const shown = viewBudget(budget, figures);
    return target.existing === null ? created(shown) : ok(shown);
  },
});

export const deleteBudget = endpoint({
  id: 'deleteBudget',
  method: 'DELETE',
  path: '/account/v1/budgets/{id}',
  summary: 'Delete a budget',
  description: 'Costs no longer count against it. A locked budget can be deleted only by a person.',
  permission: 'account:budgets:delete',
  access: 'destructive',
  resource: { name: 'budget', role: 'delete' },
  params: NameOrId('bud'),
  answers: { 204: null },
  problems: ['portal_only'],
  example: { params: { id: 'agents' }, answer: { status: 204, body: null } },
  async handle({ db, caller, params, now, checkVersion, effect, event }) {
    const budget = await findNamed(params.id, (reference: Reference) =>
      lockBudget(db, caller.account.id, reference, periodOf(now)),
    );
    checkVersion(etagOf(budget.id, budget.version));
    if (budget.locked) {
      throw new Problem('portal_only', { detail: 'The budget is locked, so it cannot be deleted.' });
    }
    await removeBudget(db, budget.id);
    effect({
      action: 'delete',
      type: 'budget',
      id: budget.id,
      name: budget.name,
      loss: forGood('The budget: it no longer limits costs or warns of them.'),
    });
    event(tellChange('deleted', budget));
    return noContent;
  },
});
