/**
 * A budget locked in the portal may be tightened by a key, never loosened: an agent must not lift its own cap. What
 * makes it stop or tell later, of less, or to fewer people loosens it; a description changes nothing of that.
 */
import { micro } from '../../kernel/micro.ts';
import { bases, type Declaration, type Scope, type Threshold } from './budget.ts';

function raisesAmount(before: Declaration, after: Declaration): string[] {
  return micro(after.amount) > micro(before.amount)
    ? [`amount rises from ${before.amount} to ${after.amount}`]
    : [];
}

/** Each threshold must be there still, or a lower one in its place. */
function dropsThreshold(before: readonly Threshold[], after: readonly Threshold[]): string[] {
  return bases.flatMap((basis) => {
    const percents = (of: readonly Threshold[]): number[] =>
      of
        .filter((threshold) => threshold.basis === basis)
        .map(({ percent }) => percent)
        .sort((a, b) => a - b);
    const present = percents(after);
    return percents(before).flatMap((percent, i) => {
      const now = present[i];
      if (now !== undefined && now <= percent) return [];
      return [`the threshold of ${percent} % (${basis}) is ${now === undefined ? 'removed' : 'raised'}`];
    });
  });
}

const drops = (before: readonly string[] | null, after: readonly string[] | null): boolean =>
  after !== null && (before === null || before.some((one) => !after.includes(one)));

/** Two selectors cannot be compared in general: any but none at all may cover less. */
function narrowsScope(before: Scope, after: Scope): string[] {
  return [
    ...(drops(before.families, after.families) ? ['scope.families covers less'] : []),
    ...(after.label_selector !== null && after.label_selector !== before.label_selector
      ? ['scope.label_selector may cover less']
      : []),
    ...(drops(before.api_key_ids, after.api_key_ids) ? ['scope.api_key_ids covers less'] : []),
  ];
}

/** What of a change loosens, in words; nothing when it may be made by a key. */
export function looseningsOf(before: Declaration, after: Declaration): string[] {
  const told = new Set(after.emails.map((address) => address.toLowerCase()));
  return [
    ...raisesAmount(before, after),
    ...dropsThreshold(before.thresholds, after.thresholds),
    ...narrowsScope(before.scope, after.scope),
    ...(before.action === 'block_new_cost' && after.action === 'notify' ? ['action no longer blocks'] : []),
    ...before.emails
      .filter((address) => !told.has(address.toLowerCase()))
      .map((address) => `${address} is told no more`),
  ];
}
