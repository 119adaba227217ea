/** Starts operations in tests the way a handler starts them, and waits until they reach an expected state. */
import { sql } from 'kysely';
import { newId } from '../kernel/ids.ts';
import type { Kind, Start } from '../kernel/operations/kind.ts';
import { startOperation } from '../kernel/operations/operations.ts';
import { hasEnded } from '../kernel/operations/schema.ts';
import { readOperation, requestCancel, type StoredOperation } from '../kernel/operations/store.ts';
import { REAL } from '../operations/environment.ts';
import { Runner } from '../operations/runner.ts';
import { DatabaseRunnerStore } from '../operations/store.ts';
import type { Db } from '../store/database.ts';
import { transact } from '../store/transaction.ts';
import type { TestAccount } from './accounts.ts';
import type { TestApp } from './app.ts';
import { outsideTransactions } from './guarded-engines.ts';
import {
  createMachineKind,
  deleteMachineKind,
  extendMachineKind,
  fleetKind,
  type MachineInput,
  restartMachineKind,
} from './machines.ts';

type Home = Pick<TestApp, 'services'>;

export async function startOn(
  { services }: Home,
  account: Pick<TestAccount, 'id'>,
  kind: Kind<MachineInput>,
  machineId: string,
  input: MachineInput = {},
  options: Pick<Start<MachineInput>, 'deadlineSeconds'> = {},
): Promise<StoredOperation> {
  const resource = { type: 'machine', id: machineId, name: null };
  return transact(services.db, (tx) =>
    startOperation(tx, services.registry, { kind, input, resource, ...options }, { accountId: account.id }),
  );
}

export async function operationOf({ services }: Home, id: string): Promise<StoredOperation> {
  const row = await readOperation(services.db, id);
  if (row === undefined) throw new Error(`There is no operation ${id}.`);
  return row;
}

const LOOK_EVERY_MS = 5;

/** Polls the row in the database, because the product's own way to wait is part of the code under test. */
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

const KINDS = [createMachineKind, restartMachineKind, extendMachineKind, deleteMachineKind, fleetKind];
const FLEET = 3;
const newMachineId = (): string => newId('request').replace('req', 'mac');

/** Starts this many operations, taking kinds and accounts in turn. The children of a fleet count too. */
export async function startMixed(
  home: Home,
  accounts: readonly Pick<TestAccount, 'id'>[],
  count: number,
  options: Pick<Start<MachineInput>, 'deadlineSeconds'> = {},
): Promise<void> {
  for (let started = 0, i = 0; started < count; i++) {
    const kind = KINDS[i % KINDS.length]!;
    const account = accounts[i % accounts.length]!;
    const isFleet = kind === fleetKind && started + FLEET < count;
    const children = Array.from({ length: isFleet ? FLEET : 0 }, (_, n) => ({
      id: newMachineId(),
      name: `m${n}`,
    }));
    const behaviours = i % 7 === 0 ? ([{ step: 'build', does: 'retry', times: 1 }] as const) : [];
    await startOn(home, account, kind, newMachineId(), { children, behaviours }, options);
    started += 1 + children.length;
  }
}

/** Runs all operations that are due, including operations that these start. Sleeping operations keep sleeping. */
export function settle(home: Home): Promise<void> {
  // The worker is nobody's transaction, also if a test runs it in the middle of a call.
  return outsideTransactions(() => runUntilSettled(home));
}

async function runUntilSettled({ services }: Home): Promise<void> {
  const { db, registry, log } = services;
  const store = new DatabaseRunnerStore(db, registry, REAL);
  const kindOf = (type: string): Kind | undefined => registry.kinds.get(type);
  const runner = new Runner({ store, environment: REAL, db, log, services, kindOf });
  runner.start();
  for (;;) {
    const busy = await db
      .selectFrom('operations')
      .select('id')
      .where('finished_at', 'is', null)
      .where('is_ready', '=', true)
      // now() is older than the snapshot of this query, which may contain an operation that was given back meanwhile.
      .where((where) =>
        where.or([where('lease_owner', 'is not', null), where('run_at', '<=', sql<Date>`clock_timestamp()`)]),
      )
      .where('type', 'in', [...registry.kinds.keys()])
      .executeTakeFirst();
    if (busy === undefined) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  await runner.close();
}

/**
 * Ends the time that guests have to shut down, as if they had been asked long ago, and runs the operations that waited for
 * them. Returns how many there were. While they waited, no worker held them.
 */
export async function outwaitGuests(home: Home): Promise<number> {
  const { rows } = await sql`
    update operations set run_at = now(), results = (
      select jsonb_object_agg(step, case when result ? 'asked_at' then '{"asked_at": "2000-01-01T00:00:00Z"}' else result end)
      from jsonb_each(results) as each (step, result))
    where finished_at is null and waiting_for = 'guest' and lease_owner is null returning id`.execute(
    home.services.db,
  );
  await settle(home);
  return rows.length;
}

/** As if the operation had been created earlier, so that its deadline is this long from now. */
export async function moveDeadline(db: Db, id: string, milliseconds: number): Promise<void> {
  const at = sql`now() + ${milliseconds} * interval '1 millisecond'`;
  await sql`update operations set created_at = created_at - (deadline_at - (${at})), deadline_at = ${at}
            where id = ${id}`.execute(db);
}
