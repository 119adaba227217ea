import { matchesLabels, type Selector } from '../../kernel/pages/label-selector.ts';
import type { Origin } from './span.ts';

/** Which costs count: all three must hold; what is left out narrows nothing. */
export interface SpendingScope {
  readonly families?: readonly string[] | undefined;
  readonly selector?: Selector | undefined;
  /** Of the keys that created the resource. */
  readonly apiKeyIds?: readonly string[] | undefined;
}

/**
 * Labels are looked at part by part and not when reading: a resource that changed its labels has one monthly price, so
 * its sums need all its spans.
 */
export const isInScope = ({ labels }: Origin, { selector }: SpendingScope): boolean =>
  selector === undefined || matchesLabels(selector, labels);
