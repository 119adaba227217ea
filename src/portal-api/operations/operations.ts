/** Lets the provider's operator list, show and cancel operations. */
import { cancelOperation } from '../../kernel/operations/cancellation.ts';
import { readOperation, type StoredOperation } from '../../kernel/operations/store.ts';
import type { Registry } from '../../kernel/registry.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { change, notFound } from '../portal-write.ts';

export { type Backlog, type OperationLine, readBacklog, readOperations } from './store.ts';

export async function showOperation(db: Db, id: string): Promise<StoredOperation> {
  const row = await readOperation(db, id);
  if (row === undefined) throw notFound('operation', id);
  return row;
}

export async function stopOperation(
  db: Db,
  registry: Registry,
  actor: Actor,
  id: string,
): Promise<StoredOperation> {
  const { account_id, type } = await showOperation(db, id);
  return change(db, actor, 'operation.cancel', account_id, async (tx) => {
    await cancelOperation(tx, registry, id);
    return {
      result: await showOperation(tx, id),
      resource: { type: 'operation', id, name: type },
      changes: [],
    };
  });
}
