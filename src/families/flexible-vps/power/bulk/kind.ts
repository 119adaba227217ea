/** A power action on many machines: one child operation per machine, at most `max_parallel` at a time. */
import { done, failed, kind, type Outcome, type Work } from '../../../../kernel/operations/kind.ts';
import { hasEnded } from '../../../../kernel/operations/schema.ts';
import { Shape, type Static, Type } from '../../../../kernel/schema.ts';
import { Action, longestDeadlineOf } from '../actions.ts';
import { type Child, readChildren } from '../store.ts';
import { startChildren } from './children.ts';

/** The step also runs at this interval, in case the wake-up for an ended child is missed. */
const PATROL_SECONDS = 60;

const Input = Shape({
  action: Action,
  vms: Type.Array(Shape({ id: Type.String(), name: Type.String() })),
  max_parallel: Type.Integer(),
  stop_on_failure: Type.Boolean(),
});
type Input = Static<typeof Input>;

const isFault = ({ status }: Child): boolean => status === 'failed' || status === 'cancelled';

function conclude(children: readonly Child[], { vms }: Input): Outcome {
  const faults = children.filter(isFault);
  if (faults.length === 0) return done({ total: vms.length, succeeded: children.length, failed: 0 });
  const untried = vms.length - children.length;
  const rest = untried === 0 ? '' : ` ${untried} were not started.`;
  const codes = [...new Set(faults.flatMap(({ error }) => error?.code ?? []))];
  const why = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
  return failed('child_failed', `${faults.length} of ${vms.length} failed${why}.${rest}`);
}

/** Runs again each time a child ends. The next children are started in the commit that puts the step to sleep. */
async function spread(work: Work<Input>): Promise<Outcome> {
  const { input, operationId, db, services } = work;
  const children = await readChildren(db, operationId);
  const known = new Set(children.map(({ vmId }) => vmId));
  const isStopped = input.stop_on_failure && children.some(isFault);
  const left = isStopped ? [] : input.vms.filter(({ id }) => !known.has(id));
  const open = children.filter(({ status }) => !hasEnded(status)).length;
  if (open === 0 && left.length === 0) return conclude(children, input);
  const next = left.slice(0, Math.max(0, input.max_parallel - open));
  return {
    kind: 'sleep',
    seconds: PATROL_SECONDS,
    waitingFor: 'children',
    async commit(tx) {
      await startChildren(tx, services, operationId, input.action, next);
      return undefined;
    },
  };
}

export const bulkPowerKind = kind<typeof Input>({
  type: 'vm.bulk_power',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'free',
  input: Input,
  typicalSeconds: 60,
  everywhere: true,
  deadlineSeconds: 100 * longestDeadlineOf('restart'),
  // After a cancellation the started children finish, and no further children start.
  cancellable: true,
  plannedChildren: ({ vms }) => vms.length,
  steps: [{ name: 'spread', run: spread }],
});
