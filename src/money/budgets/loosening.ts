/**
 * An agent must not raise its own cap: to loosen a budget needs approval like a deletion, and an API key cannot loosen
 * a budget that is locked in the portal. Tightening is always possible. A change loosens the budget if it blocks or notifies later, covers less cost, or notifies fewer
 * people. The description may always change.
 */
import { micro } from '../../kernel/micro.ts';
import { type Declaration, type Scope, sameThreshold, type Threshold } from './budget.ts';

function raisesAmount(before: Declaration, after: Declaration): string[] {
  return micro(after.amount) > micro(before.amount)
    ? [`The amount rises from ${before.amount} to ${after.amount}.`]
    : [];
}

/**
 * Each earlier threshold must still exist. A lower one does not replace it: a threshold of 1 % is crossed on the
 * first day and warns of nothing later.
 */
function dropsThreshold(before: readonly Threshold[], after: readonly Threshold[]): string[] {
  return before
    .filter((threshold) => !after.some((other) => sameThreshold(other, threshold)))
    .map(({ percent, basis }) => `The threshold of ${percent} % (${basis}) is removed.`);
}

const drops = (before: readonly string[] | null, after: readonly string[] | null): boolean =>
  after !== null && (before === null || before.some((one) => !after.includes(one)));

/**
 * Label selectors cannot be compared in general, so every other selector counts as narrower. Only removing it
 * is allowed.
 */
function narrowsScope(before: Scope, after: Scope): string[] {
  return [
    ...(drops(before.families, after.families) ? ['The scope covers fewer product families.'] : []),
    ...(after.label_selector !== null && after.label_selector !== before.label_selector
      ? ['The label selector of the scope may cover less.']
      : []),
    ...(drops(before.api_key_ids, after.api_key_ids) ? ['The scope covers fewer API keys.'] : []),
  ];
}

/**
 * Describes each part of the change that loosens the budget. An empty list means that an API key may make the
 * change.
 */
export function looseningsOf(before: Declaration, after: Declaration): string[] {
  const told = new Set(after.emails.map((address) => address.toLowerCase()));
  return [
    ...raisesAmount(before, after),
    ...dropsThreshold(before.thresholds, after.thresholds),
    ...narrowsScope(before.scope, after.scope),
    ...(before.action === 'block_new_cost' && after.action === 'notify'
      ? ['It no longer blocks new cost.']
      : []),
    ...(before.blocks === 'forecast' && after.blocks === 'spent' ? ['It no longer looks ahead.'] : []),
    ...before.emails
      .filter((address) => !told.has(address.toLowerCase()))
      .map((address) => `The address ${address} is no longer written to.`),
  ];
}
