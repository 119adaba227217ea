/** What operators can do with the sandboxes of all ports: manage fault rules, list objects, let something happen to one. */
import type { OperationErrorCode } from '../../kernel/operations/schema.ts';
import type { Db } from '../../store/database.ts';
import { commonEffects, type Effect, type Fault, type NewFault } from './faults.ts';
import { addFault, clearFaults, listFaults } from './store.ts';

const SECONDS = 5;

/** The calls of a port that a fault rule can name, and the effects that only this port has, with explanations. */
export interface FaultVocabulary {
  readonly calls: readonly string[];
  readonly effects: Readonly<Record<string, string>>;
}

/** Objects that a sandbox simulates. The functions work for all locations and open no engine. */
export interface SandboxObjects {
  /** The word for one of them, and the command that lists them: `machine`, `machines`. */
  readonly noun: string;
  readonly command: string;
  list(db: Db): Promise<readonly Readonly<Record<string, string | number | Date | null>>[]>;
  /** What can happen to one without a request, with explanations. */
  readonly mishaps: Readonly<Record<string, string>>;
  /** Returns false if the object does not exist, or is not in a state in which this can happen. */
  befall(db: Db, id: string, mishap: string): Promise<boolean>;
}

interface FaultOrder extends Omit<NewFault<string>, 'effect'> {
  readonly effect: string;
  readonly seconds?: number | undefined;
  readonly code?: OperationErrorCode | undefined;
  readonly detail?: string | undefined;
}

function effectOf({
  effect: kind,
  seconds = SECONDS,
  code = 'engine_failed',
  detail,
}: FaultOrder): Effect<string> {
  switch (kind) {
    case 'fail':
      return { kind, code, detail: detail ?? 'A fault rule of the sandbox refused this call.' };
    case 'slow':
    case 'late':
      return { kind, seconds };
    default:
      return { kind };
  }
}

const orderFault = (db: Db, order: FaultOrder): Promise<Fault> => {
  const { location, target, skip, times, call } = order;
  return addFault(db, { location, target, skip, times, call, effect: effectOf(order) });
};

interface Sandbox {
  readonly faults: FaultVocabulary;
  readonly objects?: SandboxObjects;
}

export const sandboxDeskOf = (sandboxes: readonly Sandbox[]) => ({
  effects: Object.fromEntries(
    [commonEffects, ...sandboxes.map(({ faults }) => faults.effects)].flatMap((each) => Object.entries(each)),
  ),
  calls: sandboxes.flatMap(({ faults }) => faults.calls),
  objects: sandboxes.flatMap(({ objects }) => objects ?? []),
  listFaults,
  addFault: orderFault,
  clearFaults,
});
