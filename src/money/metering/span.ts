/** The data of the meter: spans (a time range with a price) and readings (measured usage). */
import type { Micro } from '../../kernel/micro.ts';
import type { MeterLine } from './line.ts';

/** The resource that a cost belongs to, with the properties by which costs are grouped and filtered. */
export interface Origin {
  readonly resourceId: string;
  readonly family: string;
  readonly type: string;
  readonly location: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The key that created the resource. */
  readonly apiKeyId: string | null;
}

export interface Span extends Origin {
  readonly lines: readonly MeterLine[];
  readonly startedAt: number;
  /** `null` while the span is open. */
  readonly endedAt: number | null;
}

export interface Reading extends Origin {
  readonly sku: string;
  readonly unit: string;
  readonly readAt: number;
  readonly quantity: Micro;
  readonly billable: Micro;
  readonly cost: Micro;
}

/** All spans and readings of one account that determine its costs in a period. */
export interface Ledger {
  /** Grouped by resource, and in time order within a resource. */
  readonly spans: readonly Span[];
  readonly readings: readonly Reading[];
}
