/** What a handler reports about a write: its effects, its warnings and the cost it adds. */
import type { AuditChange } from './audit/entry.ts';
import type { Micro } from './micro.ts';
import type { ResourceRef } from './resource-ref.ts';

/** One effect of a write. The audit entry and the answer to a dry run are both built from these. */
export interface Effect extends ResourceRef {
  /** `none`: the resource already is as requested. */
  readonly action: 'create' | 'update' | 'delete' | 'start' | 'cancel' | 'none';
  readonly changes?: readonly AuditChange[];
}

export interface Warning {
  readonly code: string;
  readonly detail: string;
  readonly pointer?: string;
}

/** By how much a write changes the running cost of one resource; negative if the resource becomes cheaper. */
export interface CostChange {
  readonly hourly: Micro;
  readonly monthly: Micro;
  /** For budgets with a narrower scope: the family (if it is not the endpoint's own) and the labels of the cost. */
  readonly family?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resourceId: string;
  /** The API key that created the resource. `null`: not known, or the calling key creates it now. */
  readonly creatorKeyId: string | null;
  /** The monthly price of the resource once the write has taken effect. */
  readonly monthlyAfter: Micro;
}

/** The change of the running cost of the account, as it is shown. */
export interface Cost {
  readonly hourly: string;
  readonly monthly: string;
  readonly currency: string;
}
