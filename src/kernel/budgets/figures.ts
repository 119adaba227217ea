/** What the meter says of a budget. Budgets that look at the same costs share one reading. */
import type { Db } from '../../store/database.ts';
import { canonicalJson } from '../audit/entry.ts';
import { monthOf } from '../metering/calendar.ts';
import type { SpendingScope } from '../metering/scope.ts';
import type { Ledger } from '../metering/span.ts';
import { forecastOf, spentBetween } from '../metering/spending.ts';
import { readLedger } from '../metering/store.ts';
import { parseLabelSelector } from '../pages/label-selector.ts';
import type { Micro } from '../prices/micro.ts';
import type { Figures, Scope } from './budget.ts';

type Scoped = { readonly scope: Scope };

export function spendingScope({ families, label_selector, api_key_ids }: Scope): SpendingScope {
  return {
    ...(families === null ? {} : { families }),
    ...(label_selector === null ? {} : { selector: parseLabelSelector(label_selector) }),
    ...(api_key_ids === null ? {} : { apiKeyIds: api_key_ids }),
  };
}

/** Each distinct key is worked out once, one after the other: a transaction has one connection. */
async function shared<T, K, R>(
  items: readonly T[],
  keyOf: (item: T) => K,
  work: (key: K) => Promise<R>,
): Promise<R[]> {
  const known = new Map<string, R>();
  const results: R[] = [];
  for (const item of items) {
    const key = keyOf(item);
    const name = canonicalJson(key);
    const result = known.get(name) ?? (await work(key));
    known.set(name, result);
    results.push(result);
  }
  return results;
}

const ofFamilies = ({ spans, readings }: Ledger, families: readonly string[] | null): Ledger =>
  families === null
    ? { spans, readings }
    : {
        spans: spans.filter(({ family }) => families.includes(family)),
        readings: readings.filter(({ family }) => families.includes(family)),
      };

/** In the order of the budgets, for the month of `now`. */
export async function figuresOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
): Promise<Figures[]> {
  const month = monthOf(now);
  const ledgers = await shared(
    budgets,
    ({ scope }) => scope.api_key_ids,
    (apiKeyIds) => readLedger(db, accountId, month, apiKeyIds === null ? {} : { apiKeyIds }),
  );
  return budgets.map(({ scope }, i) => {
    const ledger = ofFamilies(ledgers[i] ?? { spans: [], readings: [] }, scope.families);
    const { spent, total } = forecastOf(ledger, month, spendingScope(scope), now);
    return { spent, forecast: total };
  });
}

export async function spentOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
): Promise<Micro[]> {
  return shared(
    budgets,
    ({ scope }) => scope,
    (scope) => spentBetween(db, accountId, monthOf(now), spendingScope(scope), now),
  );
}
