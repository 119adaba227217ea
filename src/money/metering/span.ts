/** What the meter knows: spans of time at a price, and readings of what only a measurement can tell. */
import type { Micro } from '../../kernel/micro.ts';
import type { MeterLine } from './line.ts';

/** What a part of the cost belongs to, and so what it can be grouped and narrowed by. */
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
  /** `null` while it runs. */
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

/** Of one account, everything its costs of a period follow from. */
export interface Ledger {
  /** Those of one resource stand together, in the order of time. */
  readonly spans: readonly Span[];
  readonly readings: readonly Reading[];
}
