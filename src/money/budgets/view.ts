/** A budget as the API and the portal show it: its declaration with the figures and crossings of this month. */
import { etagOf } from '../../kernel/etag.ts';
import { formatMoney } from '../prices/format.ts';
import {
  type Action,
  type Blocking,
  declaredScope,
  type Figures,
  percentUsed,
  type Status,
  statusOf,
  type Threshold,
} from './budget.ts';
import type { BudgetWithCrossings, Crossing } from './store.ts';

export interface BudgetView {
  id: string;
  name: string;
  description: string;
  amount: string;
  currency: string;
  period: 'month';
  scope: { families: string[] | null; label_selector: string | null; api_key_ids: string[] | null };
  counted_api_key_ids: string[] | null;
  thresholds: Threshold[];
  action: Action;
  blocks: Blocking;
  emails: string[];
  locked: boolean;
  spent: string;
  forecast: string;
  committed: string;
  percent_used: number;
  status: Status;
  crossed: Crossing[];
  etag: string;
  created_at: string;
  updated_at: string;
}

const copy = (list: readonly string[] | null): string[] | null => list && [...list];

export function viewBudget(row: BudgetWithCrossings, figures: Figures): BudgetView {
  const { families, label_selector, api_key_ids } = declaredScope(row.scope);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    amount: row.amount,
    currency: row.currency,
    period: 'month',
    scope: { families: copy(families), label_selector, api_key_ids: copy(api_key_ids) },
    counted_api_key_ids: copy(row.scope.api_key_ids),
    thresholds: row.thresholds,
    action: row.action,
    blocks: row.blocks,
    emails: row.emails,
    locked: row.locked,
    spent: formatMoney(figures.spent),
    forecast: formatMoney(figures.forecast),
    committed: formatMoney(figures.committed),
    percent_used: percentUsed(row, figures),
    status: statusOf(row, figures, row.crossed),
    crossed: row.crossed.map(({ at, ...threshold }) => ({ ...threshold, at: new Date(at).toISOString() })),
    etag: etagOf(row.id, row.version),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
