/** Every call that changes something emits an event in its account, about the resource or about the operation on it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventShape, presentEvent } from '../kernel/events/schema.ts';
import { faultsOf } from '../kernel/validation.ts';
import type { Tables } from '../store/database.ts';
import { createTestApp } from '../testing/app.ts';
import { ended } from '../testing/operations.ts';
import { exemptFrom } from './exemptions.ts';
import { aboutAll, sample } from './sample.ts';
import { createWorld, requestTo, takesNewNames, type World, writes } from './walk.ts';

let world: World;
let serial = 0;

beforeAll(async () => {
  world = await createWorld(await createTestApp({ works: true }));
});
afterAll(() => world.app.close());

type Told = Pick<Tables['events'], 'sequence' | 'resource_id' | 'operation_id' | 'type'>;

async function toldSince(sequence: number): Promise<Told[]> {
  return world.app.services.db
    .selectFrom('events')
    .select(['sequence', 'resource_id', 'operation_id', 'type'])
    .where('account_id', '=', world.account.id)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .execute();
}

interface Entry {
  readonly resource: { readonly id: string | null } | null;
  readonly operation_id: string | null;
}

async function entryOf(requestId: unknown): Promise<Entry | undefined> {
  const rows = await world.app.services.db
    .selectFrom('audit_entries')
    .select('entry')
    .where('account_id', '=', world.account.id)
    .execute();
  return rows.map(({ entry }) => entry).find(({ request_id }) => request_id === requestId);
}

/** The types of the events that the call itself emitted, without events about resources created for the call. */
async function toldOf(endpoint: (typeof writes)[number]): Promise<string[]> {
  // A PUT by name uses a new name, because repeating the same PUT changes nothing.
  const isNew = takesNewNames(endpoint) ? { params: { id: `told-${++serial}` } } : {};
  const request = await requestTo(endpoint, world, isNew);
  const before = (await toldSince(0)).at(-1)?.sequence ?? 0;
  const response = await world.app.call({ ...request, key: world.key.key });
  expect([endpoint.id, response.statusCode < 300]).toEqual([endpoint.id, true]);
  const entry = await entryOf(response.headers['x-request-id']);
  const operationId = entry?.operation_id ?? null;
  if (operationId !== null) await ended(world.app, operationId);
  const told = await toldSince(before);
  const isAbout = ({ resource_id, operation_id }: Told): boolean =>
    operationId === null ? resource_id === entry?.resource?.id : operation_id === operationId;
  return told.filter(isAbout).map(({ type }) => type);
}

/** The faults of all events so far, compared with the shapes that the OpenAPI document publishes. */
async function misshapen(): Promise<unknown[]> {
  const { eventTypes } = world.app.registry;
  const rows = await world.app.services.db.selectFrom('events').selectAll().execute();
  return rows.flatMap((row) => {
    const type = eventTypes.get(row.type);
    const faults = type === undefined ? ['undeclared'] : faultsOf(eventShape(type), presentEvent(row));
    return faults.length === 0 ? [] : [{ type: row.type, data: row.data, faults }];
  });
}

describe('every write that changes something writes an event', () => {
  const silent: string[] = [];

  it.each(sample(writes))('$id', async (endpoint) => {
    if ((await toldOf(endpoint)).length === 0) silent.push(endpoint.id);
  });

  it('except for those that are exempt with a reason', ({ skip }) => {
    aboutAll(skip);
    expect(silent.sort()).toEqual(exemptFrom('silentWrites'));
  });

  it('with data that match the schema of the event type', async () => {
    expect(await misshapen()).toEqual([]);
  });
});
