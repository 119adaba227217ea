/** How networks go: whoever is in it leaves first. */
import { EngineRefused } from '../../../engines/compute/port.ts';
import { step } from '../../../engines/engine-step.ts';
import {
  done,
  failed,
  type Kind,
  kind,
  type Outcome,
  QUEUE_LENGTH,
} from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import { queueOf, readOperation } from '../../../kernel/operations/store.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Db } from '../../../store/database.ts';
import { detachInterfaceKind } from '../interfaces/kinds.ts';
import { interfaceRef } from '../interfaces/schema.ts';
import { takeDown } from './engine-network.ts';
import { onNetwork } from './kinds.ts';
import { networks } from './resource.ts';
import { type NetworkUser, readUsers } from './store.ts';

const LOOK_AGAIN_SECONDS = 2;

const Input = Shape({
  /** Whether those that are still in it are put out. */
  detach: Type.Boolean(),
  /** What it was before, and is again if nothing came of it. */
  was: OneOf(['active', 'error']),
});

const detachment = ({ interface_id, vm_id }: NetworkUser) => ({
  kind: detachInterfaceKind,
  input: { interface_id },
  resource: interfaceRef({ id: interface_id }),
  subjects: [vm_id],
});

/** A place in the queue of each machine is needed at once. */
async function hasFullQueue(db: Db, users: readonly NetworkUser[]): Promise<boolean> {
  for (const { vm_id } of users) {
    const waiting = (await queueOf(db, [vm_id])).filter(({ started_at }) => started_at === null);
    if (waiting.length >= QUEUE_LENGTH) return true;
  }
  return false;
}

interface Detached {
  readonly children?: readonly { readonly error: OperationError | null }[];
}

/** Somebody's own deletion or detachment came to nothing: with what it failed says more than that it is still there. */
function stayed(users: readonly NetworkUser[], { children = [] }: Detached): Outcome {
  const fault = children.find(({ error }) => error !== null)?.error;
  const detail = `Still in use by ${users.map(({ vm_id }) => vm_id).join(', ')}.`;
  return fault == null ? failed('resource_in_use', detail) : failed(fault.code, `${detail} ${fault.detail}`);
}

export const deleteNetworkKind: Kind = kind<Static<typeof Input>>({
  family: 'flexible-vps',
  resourceType: 'network',
  type: 'network.delete',
  queue: 'exclusive',
  input: Input,
  typicalSeconds: 5,
  // As long as the deletion of a machine may take, which this waits for.
  deadlineSeconds: 3600,
  cancellable: false,
  steps: [
    step('detach', async ({ db, resourceId, input }) => {
      const users = input.detach ? await readUsers(db, resourceId) : [];
      const staying = users.filter(({ is_leaving }) => !is_leaving);
      if (staying.length === 0) return done();
      if (await hasFullQueue(db, staying))
        return { kind: 'sleep', seconds: LOOK_AGAIN_SECONDS, waitingFor: 'queue' };
      // One that is dropped because its machine is deleted is as good as done: the next step sees who is left.
      return { kind: 'children', start: staying.map(detachment), tolerant: true };
    }),
    step('wait', async ({ db, resourceId, results }) => {
      const users = await readUsers(db, resourceId);
      const staying = users.filter(({ is_leaving }) => !is_leaving);
      if (staying.length > 0) return stayed(staying, results['detach'] as Detached);
      return users.length === 0
        ? done()
        : { kind: 'sleep', seconds: LOOK_AGAIN_SECONDS, waitingFor: 'users' };
    }),
    step('remove', (work) =>
      onNetwork(work, async (row) => {
        const fault = await takeDown(work, row).catch((error: unknown) => {
          // No row says so any more: whatever is left there at the engine is on its way out.
          if (error instanceof EngineRefused && error.code === 'resource_in_use')
            return failed(error.code, error.message, true);
          throw error;
        });
        if (fault !== null) return fault;
        return done({}, async (tx) => {
          await networks.erase(tx, row.id);
          return [networks.event('deleted', row)];
        });
      }),
    ),
  ],
  async settle(tx, { id, status, resourceId, error }, { was }) {
    if (status === 'succeeded') return undefined;
    // As long as the engine was not asked to remove it, it is what it was.
    const isWhole = (await readOperation(tx, id))?.step !== 'remove';
    await networks.change(
      tx,
      resourceId,
      isWhole ? { status: was } : { status: 'error', status_reason: error?.code ?? null },
    );
    return undefined;
  },
});
