/** Computes the cost so far and the forecast of a period, for an account or a scope within it. */
import { type Micro, most, sum } from '../../kernel/micro.ts';
import type { Db } from '../../store/database.ts';
import { partsOf } from './accrual.ts';
import type { Period } from './calendar.ts';
import { isRunning } from './line.ts';
import { isInScope, type SpendingScope } from './scope.ts';
import type { Ledger, Origin, Span } from './span.ts';
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

/** The cost until `to`. Open spans count as running until then. */
function spentUntil(ledger: Ledger, from: number, to: number, scope: SpendingScope): Spent {
  const spent = { fixed: 0n, metered: 0n };
  for (const part of partsOf(ledger, { from, to })) {
    if (isInScope(part.origin, scope)) spent[part.kind] += part.cost;
  }
  return spent;
}

/** The cost of `period` accrued until `now`. */
export function spentOn(ledger: Ledger, period: Period, scope: SpendingScope, now: Date): Micro {
  const until = Math.min(period.to.getTime(), now.getTime());
  const { fixed, metered } = spentUntil(ledger, period.from.getTime(), until, scope);
  return fixed + metered;
}

/**
 * The cost of each span and reading, so that callers can add them up for many scopes after one pass over the
 * ledger.
 */
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

/** The ledger as it was at `time`. */
function asOf({ spans, readings }: Ledger, time: number): Ledger {
  return {
    spans: spans
      .filter(({ startedAt }) => startedAt <= time)
      .map((span) => (span.endedAt !== null && span.endedAt > time ? { ...span, endedAt: null } : span)),
    readings: readings.filter(({ readAt }) => readAt <= time),
  };
}

/**
 * The accrued cost, plus open spans until the end of the period, plus metered usage extrapolated at its average
 * rate so far.
 */
function runRate(ledger: Ledger, period: Period, scope: SpendingScope, now: number): Micro {
  const from = period.from.getTime();
  const to = period.to.getTime();
  const { fixed, metered } = spentUntil(asOf(ledger, now), from, to, scope);
  return fixed + atThisPace(metered, period, now);
}

/** Metered usage of the whole period, at its average rate so far. */
export function atThisPace(metered: Micro, { from, to }: Period, now: number): Micro {
  const passed = BigInt(Math.min(now, to.getTime()) - from.getTime());
  return passed <= 0n ? 0n : (metered * BigInt(to.getTime() - from.getTime())) / passed;
}

/** The price of a whole month while the span is open, and its one-time prices if they are due in the period. */
function wholeMonth({ lines, startedAt, endedAt }: Span, { from }: Period): Micro {
  const counted = lines.filter((line) => (isRunning(line) ? endedAt === null : startedAt >= from.getTime()));
  return sum(counted.map(({ monthly }) => monthly));
}

/** What an operation that has not ended is going to change. */
export interface Coming {
  readonly resourceId: string | null;
  /** By how much the price of a month rises. */
  readonly monthly: Micro;
  /** The price of a month when the operation has ended. */
  readonly monthlyAfter: Micro;
}

/**
 * What the account is committed to in a month: the forecast, in which each resource that runs now counts at least
 * with the price of a whole month. So a resource counts with the price that its creation was accepted at, on
 * whichever day it was created. A resource that an operation is changing counts at least with its new price. Computed
 * once, then added up for many scopes.
 */
export function commitmentsOn(
  ledger: Ledger,
  period: Period,
  now: Date,
): (counts: (origin: Origin) => boolean, coming: readonly Coming[]) => Micro {
  const known = asOf(ledger, now.getTime());
  const due = spentByOrigin(known, period, period.to);
  return (counts, coming) => {
    const resources = new Map<string, { due: Micro; whole: Micro }>();
    for (const span of known.spans.filter(counts)) {
      const so = resources.get(span.resourceId) ?? { due: 0n, whole: 0n };
      so.due += due.get(span) ?? 0n;
      so.whole += wholeMonth(span, period);
      resources.set(span.resourceId, so);
    }
    let beside = 0n;
    for (const { resourceId, monthly, monthlyAfter } of coming) {
      const so = resources.get(resourceId ?? '');
      if (so === undefined) beside += monthly;
      else so.whole = most(so.whole, monthlyAfter);
    }
    const metered = sum(known.readings.filter(counts).map((reading) => due.get(reading) ?? 0n));
    const fixed = sum([...resources.values()].map(({ due: cost, whole }) => most(cost, whole)));
    return fixed + beside + atThisPace(metered, period, now.getTime());
  };
}

/**
 * The earlier forecast is the one made when half of the time passed so far had passed. `high`: the period is
 * over, or at least half of it has passed and the earlier forecast differs by at most a tenth. `low`: less than
 * a tenth has passed, or the earlier forecast differs by more than half. Otherwise `medium`.
 */
export function confidenceOf(passed: number, total: Micro, earlier: () => Micro): Confidence {
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
