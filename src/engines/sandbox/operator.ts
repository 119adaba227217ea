/** The commands with which operators manage fault rules. They work for all sandboxes and open no engine. */
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

export const faultDesk = (ports: readonly FaultVocabulary[]) => ({
  effects: Object.fromEntries(
    [commonEffects, ...ports.map(({ effects }) => effects)].flatMap((each) => Object.entries(each)),
  ),
  calls: ports.flatMap(({ calls }) => calls),
  listFaults,
  addFault: orderFault,
  clearFaults,
});
