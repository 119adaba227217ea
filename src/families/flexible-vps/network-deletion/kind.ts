/** The operation that deletes a network after all machines are detached from it. */
import { EngineRefused } from '../../../engines/compute/port.ts';
import { step } from '../../../engines/engine-step.ts';
import { child, done, failed, kind, type Outcome, QUEUE_LENGTH } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import { queueOf, readOperation } from '../../../kernel/operations/store.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import type { Db } from '../../../store/database.ts';
import { wakeFirewalls } from '../firewalls/machine-firewalls.ts';
import { DELETE_NETWORK } from '../interface-changes/connection-operations.ts';
import { detachInterfaceKind } from '../interface-changes/kinds.ts';
import { interfaceRef } from '../interfaces/schema.ts';
import { takeDown } from '../networks/engine-network.ts';
import { onNetwork } from '../networks/kinds.ts';
import { networkLife } from '../networks/lifecycle.ts';
import { networks } from '../networks/resource.ts';
import { type NetworkUser, readUsers } from '../networks/store.ts';
import { gatewaysIn } from '../vpn-gateways/store.ts';

const LOOK_AGAIN_SECONDS = 2;

const Input = Shape({
  /** Whether machines that are still in the network are detached. */
  detach: Type.Boolean(),
  /** The status before the deletion; restored if the deletion fails before the engine is called. */
  was: networkLife.Status,
});

const detachment = ({ interface_id, vm_id }: NetworkUser) =>
  child({
    kind: detachInterfaceKind,
    input: { interface_id },
    resource: interfaceRef({ id: interface_id }),
    subjects: [vm_id],
  });

/** Whether a queue is full: the detach operations need a place in the queues of all machines at the same time. */
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

/**
 * The outcome when machines are still in the network, because their deletion or detachment failed. The error of a
 * failed detach operation is included, because it explains more than `resource_in_use`.
 */
function stayed(users: readonly NetworkUser[], { children = [] }: Detached): Outcome {
  const fault = children.find(({ error }) => error !== null)?.error;
  const detail = `The network is still in use by ${users.map(({ vm_id }) => vm_id).join(', ')}.`;
  return fault == null ? failed('resource_in_use', detail) : failed(fault.code, `${detail} ${fault.detail}`);
}

export const deleteNetworkKind = kind<typeof Input>({
  family: 'flexible-vps',
  resourceType: 'network',
  type: DELETE_NETWORK,
  queue: 'exclusive',
  input: Input,
  typicalSeconds: 5,
  // The same as for the deletion of a machine, because this operation waits for such deletions.
  deadlineSeconds: 3600,
  cancellable: false,
  steps: [
    step('detach', async ({ db, resourceId, input }) => {
      const users = input.detach ? await readUsers(db, resourceId) : [];
      const staying = users.filter(({ is_leaving }) => !is_leaving);
      if (staying.length === 0) return done();
      if (await hasFullQueue(db, staying))
        return { kind: 'sleep', seconds: LOOK_AGAIN_SECONDS, waitingFor: 'queue' };
      // A detach operation may be dropped because its machine is deleted; the next step checks what is left.
      return { kind: 'children', start: staying.map(detachment), tolerant: true };
    }),
    step('wait', async ({ db, resourceId, results }) => {
      const users = await readUsers(db, resourceId);
      const staying = users.filter(({ is_leaving }) => !is_leaving);
      if (staying.length > 0) return stayed(staying, results['detach'] as Detached);
      const gateways = await gatewaysIn(db, resourceId);
      const kept = gateways.filter(({ is_leaving }) => !is_leaving);
      if (kept.length > 0)
        return failed(
          'resource_in_use',
          `The network is still in use by ${kept.map(({ id }) => id).join(', ')}.`,
        );
      return users.length === 0 && gateways.length === 0
        ? done()
        : { kind: 'sleep', seconds: LOOK_AGAIN_SECONDS, waitingFor: 'users' };
    }),
    step(
      'remove',
      onNetwork(async (work, row) => {
        const fault = await takeDown(work, row).catch((error: unknown) => {
          // No interface row is left, so the engine is still removing the last interface: the step is retried.
          if (error instanceof EngineRefused && error.code === 'resource_in_use')
            return failed(error.code, error.message, true);
          throw error;
        });
        if (fault !== null) return fault;
        return done({}, async (tx) => {
          await wakeFirewalls(tx, { networkId: row.id });
          await networks.erase(tx, row.id);
          return [networks.event('deleted', row)];
        });
      }),
    ),
  ],
  async settle(tx, { id, status, resourceId, error }, { was }) {
    if (status === 'succeeded') return undefined;
    // Before the step `remove`, the engine was not called, so the network is unchanged.
    const isWhole = (await readOperation(tx, id))?.step !== 'remove';
    await networks.change(
      tx,
      resourceId,
      isWhole ? { status: was } : { status: 'error', status_reason: error?.code ?? null },
    );
    return undefined;
  },
});
