/** How fast the provider answers, and after which silence a ticket ends. */
import type { Severity } from './schema.ts';

export type SupportPlan = 'basic' | 'business' | 'premium';

/** Hours until the first answer. A plan without an entry treats the ticket like the highest severity that it has. */
const hours: Readonly<Record<SupportPlan, Partial<Record<Severity, number>>>> = {
  basic: { low: 72, normal: 48 },
  business: { low: 48, normal: 24, high: 8 },
  premium: { low: 24, normal: 8, high: 4, critical: 1 },
};

const severities: readonly Severity[] = ['low', 'normal', 'high', 'critical'];

/** The severity by which a ticket of this plan is treated. */
export function treatedAs(plan: SupportPlan, severity: Severity): Severity {
  const offered = severities.filter((each) => hours[plan][each] !== undefined);
  const known = offered.filter((each) => severities.indexOf(each) <= severities.indexOf(severity));
  return known.at(-1) ?? 'normal';
}

export function responseDue(plan: SupportPlan, severity: Severity, from: Date): Date {
  const within = hours[plan][treatedAs(plan, severity)] ?? 0;
  return new Date(from.getTime() + within * 3_600_000);
}

const DAY_MS = 86_400_000;

/** A closed ticket can be opened again for so long. */
const REOPEN_DAYS = 30;

export const reopenUntil = (closedAt: Date): Date => new Date(closedAt.getTime() + REOPEN_DAYS * DAY_MS);

/** Days that a ticket waits for the customer until the reminder, and until it counts as solved. */
export const REMINDER_DAYS = 7;
export const SILENCE_DAYS = 14;
/** Days after which a solved ticket is closed. */
export const SOLVED_DAYS = 7;
