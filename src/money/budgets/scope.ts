import { matchesLabels, parseLabelSelector } from '../../kernel/pages/label-selector.ts';
import type { Scope } from './budget.ts';

/** The properties of a new cost that decide whether a budget scope covers it. */
export interface Spender {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The API key of the call that adds the cost; null for a person who is signed in. */
  readonly apiKeyId: string | null;
}

export function covers(scope: Scope, { family, labels, apiKeyId }: Spender): boolean {
  return (
    (scope.families === null || scope.families.includes(family)) &&
    (scope.api_key_ids === null || (apiKeyId !== null && scope.api_key_ids.includes(apiKeyId))) &&
    (scope.label_selector === null || matchesLabels(parseLabelSelector(scope.label_selector), labels))
  );
}
