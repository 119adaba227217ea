/** Fault rules: they make calls to a sandbox fail in a chosen way. The first rule that matches a call applies. */
import type { OperationErrorCode } from '../../kernel/operations/schema.ts';

/** The effects that every port has. */
export type CommonEffect =
  /** The call is refused, which is final. */
  | { readonly kind: 'fail'; readonly code: OperationErrorCode; readonly detail: string }
  /** The call does nothing and fails without an answer. */
  | { readonly kind: 'unreachable' }
  /** The call does nothing until its caller aborts it. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'slow'; readonly seconds: number }
  /** The call does its work, then fails without an answer. */
  | { readonly kind: 'fail_after' }
  /** The call fails without an answer. Its work is done this many seconds after the call started. */
  | { readonly kind: 'late'; readonly seconds: number }
  /** The call does nothing, but answers that the work is done or that the object does not exist. */
  | { readonly kind: 'lie' }
  /** The object that the call names is removed before the work of the call starts. */
  | { readonly kind: 'lose' };

/** `Own`: the effects that only one port has. */
export type Effect<Own extends string = never> = CommonEffect | { readonly kind: Own };

/** The explanations that operators see in the help of the command line. */
export const commonEffects: Readonly<Record<CommonEffect['kind'], string>> = {
  fail: 'refuses the call; this is final',
  unreachable: 'does nothing and does not answer',
  hang: 'does nothing until the caller gives up',
  slow: 'takes --seconds longer',
  fail_after: 'does the work, and does not answer',
  late: 'does the work --seconds later, and does not answer',
  lie: 'answers that the work is done or that nothing exists, and does nothing',
  lose: 'removes the machine or other object that the call names, before the call starts',
};

export const isCommon = <Own extends string>(effect: Effect<Own>): effect is CommonEffect =>
  Object.hasOwn(commonEffects, effect.kind);

export interface NewFault<Call extends string, Own extends string = never> {
  /** A rule without a location, call or target matches all of them. */
  readonly location?: string | undefined;
  readonly call?: Call | undefined;
  /** The id of the object that the call names, or of its account. */
  readonly target?: string | undefined;
  /** This many matching calls succeed before the rule applies. */
  readonly skip?: number | undefined;
  /** The number of calls that the rule affects; all calls if left out. */
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
