import { matchesLabels, type Selector } from '../../kernel/pages/label-selector.ts';
import type { Origin } from './span.ts';

/** Selects costs: all given members must match. Members that are left out do not restrict. */
export interface SpendingScope {
  readonly families?: readonly string[] | undefined;
  readonly selector?: Selector | undefined;
  /** The keys that created the resources. */
  readonly apiKeyIds?: readonly string[] | undefined;
}

/**
 * Labels are matched for each part of the cost, not in the database query. The monthly cap counts across label
 * changes, so the sums of a resource need all of its spans.
 */
export const isInScope = ({ labels }: Pick<Origin, 'labels'>, { selector }: SpendingScope): boolean =>
  selector === undefined || matchesLabels(selector, labels);
