/** Faults on order: rules that say which calls to a sandbox go wrong, and how. The first rule that fits a call applies. */
import type { OperationErrorCode } from '../../kernel/operations/schema.ts';

/** The effects that every port has. */
export type CommonEffect =
  /** The call is refused, for good. */
  | { readonly kind: 'fail'; readonly code: OperationErrorCode; readonly detail: string }
  /** The call does nothing and ends without an answer. */
  | { readonly kind: 'unreachable' }
  /** The call does nothing until its caller gives up. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'slow'; readonly seconds: number }
  /** The call does its work, then ends without an answer. */
  | { readonly kind: 'fail_after' }
  /** The call ends without an answer, and its work is done so many seconds after it began. */
  | { readonly kind: 'late'; readonly seconds: number }
  /** The call answers that the work is done, or that the thing does not exist, and does nothing. */
  | { readonly kind: 'lie' }
  /** The thing that the call names is removed before the call begins. */
  | { readonly kind: 'lose' };

/** `Own`: the kinds of effects that only one port has. */
export type Effect<Own extends string = never> = CommonEffect | { readonly kind: Own };

/** Shown to operators. */
export const commonEffects: Readonly<Record<CommonEffect['kind'], string>> = {
  fail: 'refuses, for good',
  unreachable: 'does nothing and does not answer',
  hang: 'does nothing until the caller gives up',
  slow: 'takes --seconds longer',
  fail_after: 'does it, and does not answer',
  late: 'does it --seconds later, when nobody waits for it any more',
  lie: 'says that it is done, and does nothing',
  lose: 'the machine, or whatever the call names, is gone before the call begins',
};

export const isCommon = <Own extends string>(effect: Effect<Own>): effect is CommonEffect =>
  Object.hasOwn(commonEffects, effect.kind);

export interface NewFault<Call extends string, Own extends string = never> {
  /** The rule fits every location, call or target that is left out here. */
  readonly location?: string | undefined;
  readonly call?: Call | undefined;
  readonly target?: string | undefined;
  /** This many calls that fit pass unharmed first. */
  readonly skip?: number | undefined;
  /** How many calls the rule strikes; left out: all. */
  readonly times?: number | undefined;
  readonly effect: Effect<Own>;
}

export interface Fault {
  readonly id: number;
  readonly location: string | null;
  readonly call: string | null;
  readonly target: string | null;
  readonly skip: number;
  readonly remaining: number | null;
  readonly effect: Effect<string>;
  readonly struck: number;
  readonly created_at: Date;
}
