/** What a handler reports about a write: its effects, its warnings and the cost it adds. */
import type { AuditChange } from './audit/entry.ts';
import type { ConstructiveAction, DestructiveAction, EffectView, Loss } from './effect-view.ts';
import type { Micro } from './micro.ts';
import type { ResourceRef } from './resource-ref.ts';
import { byProvider, Named, Shape, type Static, Type } from './schema.ts';

interface Told {
  readonly changes?: readonly AuditChange[];
  /** What a dry run says before the name of the resource, if the action alone misleads: `opens a console of`. */
  readonly verb?: string;
}

/** One effect of a write. The audit entry, requests for approval and the answer to a dry run are built from these. */
export type Effect = ResourceRef &
  Told &
  (
    | {
        /** `none`: the resource already is as requested. */
        readonly action: ConstructiveAction | 'none';
        readonly loss?: Loss;
      }
    | { readonly action: DestructiveAction; readonly loss: Loss }
  );

/** The effects that change something, without the changed members. */
export const shownEffects = (effects: readonly Effect[]): EffectView[] =>
  effects.flatMap(({ action, type, id, name, loss = null }) =>
    action === 'none' ? [] : [{ action, type, id, name, loss }],
  );

/** Whether an effect takes away what no other call can bring back. Only `none` says what it would have taken. */
export const isForGood = ({
  action,
  loss,
}: {
  readonly action: string;
  readonly loss?: Loss | null;
}): boolean => action !== 'none' && loss?.recoverable === false;

export const forGood = (what: string): Loss => ({ what, recoverable: false });
export const forNow = (what: string): Loss => ({ what, recoverable: true });

export const Warning = Named(
  'Warning',
  Shape({
    code: Type.String({ description: 'What the warning is about, for programs. It never changes.' }),
    detail: Type.String({ ...byProvider, description: 'What you should know, in words.' }),
    pointer: Type.Optional(
      Type.String({ description: 'JSON Pointer to the member of the request that it is about.' }),
    ),
  }),
);
export type Warning = Static<typeof Warning>;

/** A part of the cost that a write adds, in words. */
export interface CostLine {
  readonly description: string;
  readonly hourly: Micro;
  readonly monthly: Micro;
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
  /** What is new in it; absent if an existing resource changes. */
  readonly lines?: readonly CostLine[];
  /** A schedule is going to cause the cost, so it is kept in the plan of the schedule and not with the operation. */
  readonly isPlanned?: true;
}

/** The change of the running cost of the account, as it is shown. */
export interface Cost {
  readonly hourly: string;
  readonly monthly: string;
  readonly currency: string;
}
