import { approvalRequest } from '../../../kernel/approvals/kind.ts';
import { insertApproval } from '../../../kernel/approvals/store.ts';
import { newId } from '../../../kernel/ids.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import { insertOperation, type StoredOperation } from '../../../kernel/operations/store.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { transact } from '../../../store/transaction.ts';

/**
 * An operation that no worker takes, so it is still there when a law looks at it. It is about a resource that every key
 * may read, and was started with the permission that stops it: a law about permissions meets only the endpoint's own.
 */
function insertQueued({ app, account, key }: World, name: string): Promise<StoredOperation> {
  return insertOperation(
    app.services.db,
    {
      id: newId('operation'),
      account_id: account.id,
      type: 'widget.polish',
      family: 'workshop',
      status: 'queued',
      resource_type: 'operation',
      resource_id: newId('request').replace('req', 'wid'),
      resource_name: name,
      actor: { kind: 'api_key', api_key_id: key.id, member_id: account.ownerId },
      api_key_id: key.id,
      permission: 'account:operations:write',
      cancellable: true,
      queue: 'free',
      input: '{}',
      is_ready: false,
    },
    { deadlineSeconds: 3600, subjects: [], now: null },
  );
}

const cost = { hourly: '0.000000', monthly: '0.00', currency: 'EUR' };

const approvalOf = ({ account, key }: World, operationId: string, name: string) => ({
  operation_id: operationId,
  account_id: account.id,
  key_id: key.id,
  request_hash: Buffer.from(name),
  endpoint_id: 'deleteWidget',
  method: 'DELETE',
  path: `/workshop/v1/widgets/${name}`,
  query: {},
  body: null,
  effects: [{ action: 'delete' as const, type: 'widget', id: null, name }],
  changes: [{ text: `deletes the widget "${name}"`, loosens: false }],
  cost,
});

export const fixture: Fixture = {
  collection: '/account/v1/operations',
  make: async (world) => (await insertQueued(world, freshName())).id,
  remove: ({ app }, id) => app.services.db.deleteFrom('operations').where('id', '=', id).execute(),
  async addRow(world, name) {
    const { id } = await insertQueued(world, name);
    await insertApproval(world.app.services.db, approvalOf(world, id, name), 3600);
  },
  scenarios: {
    'approval.request': {
      indestructible: 'A request for approval creates nothing; it is kept as long as operations are.',
      async begin(world) {
        const { db, registry } = world.app.services;
        return transact(db, async (tx) => {
          const resource = { type: 'approval', id: null, name: 'deleteWidget' };
          const start = { kind: approvalRequest, input: {}, resource };
          const operation = await startOperation(tx, registry, start, { accountId: world.account.id });
          await insertApproval(tx, approvalOf(world, operation.id, 'one'), 0);
          return operation;
        });
      },
    },
  },
};
