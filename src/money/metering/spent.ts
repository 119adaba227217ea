/** What an account (or a part of it) spent in a period, and what it will have spent at its end. */

import type { Micro } from '../../kernel/micro.ts';
import type { Db } from '../../store/database.ts';
import { partsOf } from './accrual.ts';
import type { Period } from './calendar.ts';
import { isInScope, type SpendingScope } from './scope.ts';
import type { Ledger, Origin } from './span.ts';
import { readLedger } from './store.ts';

export type Confidence = 'low' | 'medium' | 'high';

export interface Forecast {
  readonly total: Micro;
  readonly spent: Micro;
  readonly confidence: Confidence;
}

interface Spent {
  readonly fixed: Micro;
  readonly metered: Micro;
}

/** Until `to`, as if all that runs ran on until then. */
function spentUntil(ledger: Ledger, from: number, to: number, scope: SpendingScope): Spent {
  const spent = { fixed: 0n, metered: 0n };
  for (const part of partsOf(ledger, { from, to })) {
    if (isInScope(part.origin, scope)) spent[part.kind] += part.cost;
  }
  return spent;
}

/** Of `period`, what was accrued until `now`. */
export function spentOn(ledger: Ledger, period: Period, scope: SpendingScope, now: Date): Micro {
  const until = Math.min(period.to.getTime(), now.getTime());
  const { fixed, metered } = spentUntil(ledger, period.from.getTime(), until, scope);
  return fixed + metered;
}

/** The same of each span and reading, for whoever adds them up in many ways: the meter is worked through once. */
export function spentByOrigin(ledger: Ledger, period: Period, now: Date): ReadonlyMap<Origin, Micro> {
  const to = Math.min(period.to.getTime(), now.getTime());
  const spent = new Map<Origin, Micro>();
  for (const { origin, cost } of partsOf(ledger, { from: period.from.getTime(), to }))
    spent.set(origin, (spent.get(origin) ?? 0n) + cost);
  return spent;
}

export async function spentBetween(
  db: Db,
  accountId: string,
  period: Period,
  scope: SpendingScope = {},
  now: Date = new Date(),
): Promise<Micro> {
  return spentOn(await readLedger(db, accountId, period, scope), period, scope, now);
}

export async function forecast(
  db: Db,
  accountId: string,
  period: Period,
  scope: SpendingScope = {},
  now: Date = new Date(),
): Promise<Forecast> {
  return forecastOf(await readLedger(db, accountId, period, scope), period, scope, now);
}

/** As somebody would have seen the ledger then. */
function asOf({ spans, readings }: Ledger, time: number): Ledger {
  return {
    spans: spans
      .filter(({ startedAt }) => startedAt <= time)
      .map((span) => (span.endedAt !== null && span.endedAt > time ? { ...span, endedAt: null } : span)),
    readings: readings.filter(({ readAt }) => readAt <= time),
  };
}

/** What was accrued, what runs now until the end, and what is measured at the pace it was measured so far. */
function runRate(ledger: Ledger, period: Period, scope: SpendingScope, now: number): Micro {
  const from = period.from.getTime();
  const to = period.to.getTime();
  const { fixed, metered } = spentUntil(asOf(ledger, now), from, to, scope);
  const passed = BigInt(Math.min(now, to) - from);
  return passed <= 0n ? fixed : fixed + (metered * BigInt(to - from)) / passed;
}

/**
 * `high`: the period is over, or half of it has passed and the forecast of half that time ago differs by at most a
 * tenth. `low`: less than a tenth has passed, or that earlier forecast differs by more than half. Else `medium`.
 */
function confidenceOf(passed: number, total: Micro, earlier: () => Micro): Confidence {
  if (passed >= 1) return 'high';
  if (passed < 0.1) return 'low';
  const then = Number(earlier());
  const drift = Math.abs(Number(total) - then) / Math.max(Number(total), then, 1);
  if (drift > 0.5) return 'low';
  return passed >= 0.5 && drift <= 0.1 ? 'high' : 'medium';
}

export function forecastOf(ledger: Ledger, period: Period, scope: SpendingScope, now: Date): Forecast {
  const from = period.from.getTime();
  const to = period.to.getTime();
  const at = now.getTime();
  const { fixed, metered } = spentUntil(ledger, from, Math.min(to, at), scope);
  const total = runRate(ledger, period, scope, at);
  const passed = (at - from) / (to - from);
  const earlier = () => runRate(ledger, period, scope, from + Math.floor((at - from) / 2));
  return { spent: fixed + metered, total, confidence: confidenceOf(passed, total, earlier) };
}
