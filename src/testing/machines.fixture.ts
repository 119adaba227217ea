import { newId } from '../kernel/ids.ts';
import { startOperation } from '../kernel/operations/operations.ts';
import type { Fixture, Scenario } from '../laws/fixture.ts';
import { freshName, type World } from '../laws/world.ts';
import { transact } from '../store/transaction.ts';
import { createMachineKind, fleetKind, noteMachine } from './machines.ts';
import { runKind } from './run-kind.ts';

const newMachineId = (): string => newId('request').replace('req', 'mac');

async function makeMachine({ app, account }: World): Promise<string> {
  const { db } = app.services;
  const row = await db
    .insertInto('machines')
    .values({ id: newMachineId(), account_id: account.id, name: freshName(), status: 'creating' })
    .returningAll()
    .executeTakeFirstOrThrow();
  await noteMachine(db, row);
  const resource = { type: 'machine', id: row.id, name: row.name };
  await runKind(app, createMachineKind, { accountId: account.id, resource, input: {} });
  return row.id;
}

/** The record of actOnMachine names only one kind, and its example starts another, so each kind needs a scenario. */
const acting = (action: string): Scenario => ({
  async begin(world, walk) {
    const params = { id: await makeMachine(world) };
    const answer = await walk.call(walk.endpoint('actOnMachine'), world, { params, payload: { action } });
    return walk.operationOf(world, answer);
  },
});

export const fixture: Fixture = {
  collection: '/workshop/v1/machines',
  make: makeMachine,
  async addRow({ app, account }, name) {
    await app.services.db
      .insertInto('machines')
      .values({ id: newMachineId(), account_id: account.id, name, status: 'running' })
      .execute();
  },
  scenarios: {
    'machine.extend': acting('extend'),
    'machine.restart': acting('restart'),
    'machine.fleet': {
      async begin(world) {
        const { db, registry } = world.app.services;
        const ids = [await makeMachine(world), await makeMachine(world)];
        const input = { children: ids.map((id) => ({ id, name: 'one of them' })) };
        const resource = { type: 'machine', id: ids[0] ?? null, name: 'all of them' };
        return transact(db, (tx) =>
          startOperation(tx, registry, { kind: fleetKind, input, resource }, { accountId: world.account.id }),
        );
      },
    },
  },
};
