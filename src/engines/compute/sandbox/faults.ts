/** Trouble on order: rules that say which calls go wrong, and how. The first that fits a call strikes it. */
import type { OperationErrorCode } from '../../../kernel/operations/schema.ts';
import type { ComputeEngine } from '../port.ts';

/** The calls that a fault can name. */
export type CallName = Exclude<
  keyof ComputeEngine,
  'driver' | 'location' | 'capabilities' | 'imageFormats' | 'graphicalProtocol' | 'sample' | 'watch' | 'close'
>;

const calls: Readonly<Record<CallName, true>> = {
  ensureInstance: true,
  observeInstance: true,
  observeInstances: true,
  removeInstance: true,
  ensureRunning: true,
  ensureStopped: true,
  restart: true,
  ensureSize: true,
  ensurePlacement: true,
  ensureGuest: true,
  ensureRescue: true,
  ensureRebuilt: true,
  ensureNic: true,
  removeNic: true,
  ensureSnapshot: true,
  removeSnapshot: true,
  ensureRestored: true,
  ensureNetwork: true,
  observeNetwork: true,
  removeNetwork: true,
  ensureImage: true,
  observeImage: true,
  exportImage: true,
  removeImage: true,
  setPassword: true,
  readConsoleLog: true,
  openConsole: true,
  readSeries: true,
  readCapacity: true,
  fits: true,
};
export const callNames = Object.keys(calls) as readonly CallName[];

export type Effect =
  /** Refuses, for good. */
  | { readonly kind: 'fail'; readonly code: OperationErrorCode; readonly detail: string }
  /** Does nothing and does not answer. */
  | { readonly kind: 'unreachable' }
  /** Does nothing until the caller gives up. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'slow'; readonly seconds: number }
  /** Does it, and says that it did not answer. */
  | { readonly kind: 'fail_after' }
  /** Does it so much later, when nobody waits for it any more. */
  | { readonly kind: 'late'; readonly seconds: number }
  /** Says that it is done, or that there is nothing, and does nothing. */
  | { readonly kind: 'lie' }
  /** The machine is gone before the call begins. */
  | { readonly kind: 'lose' }
  /** The guest does not heed the request to shut down. */
  | { readonly kind: 'ignore_shutdown' };

export type EffectKind = Effect['kind'];

export const effectMeanings: Readonly<Record<EffectKind, string>> = {
  fail: 'refuses, for good',
  unreachable: 'does nothing and does not answer',
  hang: 'does nothing until the caller gives up',
  slow: 'takes --seconds longer',
  fail_after: 'does it, and does not answer',
  late: 'does it --seconds later, when nobody waits for it any more',
  lie: 'says that it is done, and does nothing',
  lose: 'the machine is gone before the call begins',
  ignore_shutdown: 'the guest does not heed the request to shut down',
};

export interface NewFault {
  /** Left out, in the first three: whatever it is. */
  readonly location?: string | undefined;
  readonly call?: CallName | undefined;
  readonly target?: string | undefined;
  /** So many calls pass before the first one is struck. */
  readonly skip?: number | undefined;
  /** How many are struck; left out: all. */
  readonly times?: number | undefined;
  readonly effect: Effect;
}

export interface Fault {
  readonly id: number;
  readonly location: string | null;
  readonly call: string | null;
  readonly target: string | null;
  readonly skip: number;
  readonly remaining: number | null;
  readonly effect: Effect;
  readonly struck: number;
  readonly created_at: Date;
}
