/** What the meter says of budgets. */

import { type Micro, sum } from '../../kernel/micro.ts';
import { parseLabelSelector } from '../../kernel/pages/label-selector.ts';
import type { Db } from '../../store/database.ts';
import { monthOf } from '../metering/calendar.ts';
import { isInScope, type SpendingScope } from '../metering/scope.ts';
import type { Ledger, Origin } from '../metering/span.ts';
import { forecastOf, spentByOrigin } from '../metering/spent.ts';
import { readLedger } from '../metering/store.ts';
import type { Figures, Scope } from './budget.ts';

type Scoped = { readonly scope: Scope };

export function spendingScope({ families, label_selector, api_key_ids }: Scope): SpendingScope {
  return {
    ...(families === null ? {} : { families }),
    ...(label_selector === null ? {} : { selector: parseLabelSelector(label_selector) }),
    ...(api_key_ids === null ? {} : { apiKeyIds: api_key_ids }),
  };
}

/** Of what was read of the whole account, what these families and these keys made. */
function narrow({ spans, readings }: Ledger, scope: Scope): Ledger {
  const isIn = (origin: Origin): boolean => isMadeBy(origin, scope);
  return { spans: spans.filter(isIn), readings: readings.filter(isIn) };
}

/** Neither changes while a resource is there, so its sums are whole or not counted at all. */
const isMadeBy = ({ family, apiKeyId }: Origin, { families, api_key_ids: keys }: Scope): boolean =>
  (families?.includes(family) ?? true) && (keys === null || (apiKeyId !== null && keys.includes(apiKeyId)));

/** In the order of the budgets, for the month of `now`; however many they are, the meter is read once. */
export async function figuresOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
): Promise<Figures[]> {
  if (budgets.length === 0) return [];
  const month = monthOf(now);
  const ledger = await readLedger(db, accountId, month);
  return budgets.map(({ scope }) => {
    const { spent, total } = forecastOf(narrow(ledger, scope), month, spendingScope(scope), now);
    return { spent, forecast: total };
  });
}

/** Without the forecast, which costs more: for calls that wait for it. */
export async function spentOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
): Promise<Micro[]> {
  if (budgets.length === 0) return [];
  const month = monthOf(now);
  const ledger = await readLedger(db, accountId, month);
  const spent = [...spentByOrigin(ledger, month, now)];
  return budgets.map(({ scope }) => {
    const part = spendingScope(scope);
    return sum(
      spent.filter(([origin]) => isMadeBy(origin, scope) && isInScope(origin, part)).map(([, cost]) => cost),
    );
  });
}
