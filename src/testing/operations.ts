/** Operations of tests: started as a handler starts them, watched until they are as expected. */
import type { Kind } from '../kernel/operations/kind.ts';
import { startOperation } from '../kernel/operations/operations.ts';
import { hasEnded } from '../kernel/operations/schema.ts';
import { readOperation, requestCancel, type StoredOperation } from '../kernel/operations/store.ts';
import { transact } from '../store/transaction.ts';
import type { TestAccount } from './accounts.ts';
import type { TestApp } from './app.ts';
import type { MachineInput } from './machines.ts';

type Home = Pick<TestApp, 'services'>;

export async function startOn(
  { services }: Home,
  account: Pick<TestAccount, 'id'>,
  kind: Kind,
  machineId: string,
  input: MachineInput = {},
): Promise<StoredOperation> {
  const resource = { type: 'machine', id: machineId, name: null };
  return transact(services.db, (tx) =>
    startOperation(tx, services.registry, { kind, input, resource }, { accountId: account.id }),
  );
}

export async function operationOf({ services }: Home, id: string): Promise<StoredOperation> {
  const row = await readOperation(services.db, id);
  if (row === undefined) throw new Error(`There is no operation ${id}.`);
  return row;
}

const LOOK_EVERY_MS = 20;

/** Looks at the row itself: what is tested must not be what tells the time. */
export async function until(
  home: Home,
  id: string,
  isAsExpected: (operation: StoredOperation) => boolean,
): Promise<StoredOperation> {
  for (;;) {
    const operation = await operationOf(home, id);
    if (isAsExpected(operation)) return operation;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

export const ended = (home: Home, id: string): Promise<StoredOperation> =>
  until(home, id, ({ status }) => hasEnded(status));

export async function cancelled({ services }: Home, id: string): Promise<void> {
  await transact(services.db, (tx) => requestCancel(tx, id));
}
