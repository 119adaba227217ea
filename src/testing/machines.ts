/**
 * A resource of the test family that operations create, restart, extend and delete. Its engine is a separate table that
 * is written outside the operation's transaction: as with a real engine, its changes stay even if the worker crashes.
 */
import { type Generated, type Selectable, sql } from 'kysely';
import { etagOf } from '../kernel/etag.ts';
import { eventTypesOf } from '../kernel/events/declaration.ts';
import {
  type Commit,
  child,
  done,
  failed,
  type Kind,
  kind,
  type Outcome,
  type Step,
} from '../kernel/operations/kind.ts';
import type { Resource } from '../kernel/registry.ts';
import { Type } from '../kernel/schema.ts';
import { forgetResource, noteResource } from '../resources/inventory/store.ts';
import type { Db, Tables } from '../store/database.ts';

interface MachinesTable {
  id: string;
  account_id: string;
  name: string;
  status: string;
  version: Generated<number>;
  created_at: Generated<Date>;
  provisioned_at: Date | null;
}

declare module '../store/database.ts' {
  interface Tables {
    machines: MachinesTable;
    /** The state of the engine: one row per machine that exists at the engine. */
    machine_room: { machine_id: string; builds: Generated<number> };
    /** One row per committed step. A second row for the same step means that its effect happened twice. */
    machine_effects: { operation_id: string; step: string };
  }
}

export type MachineRow = Selectable<Tables['machines']>;

export async function createMachinesTables(db: Db): Promise<void> {
  await sql`
    create table machines (
      id text collate "C" primary key, account_id text collate "C" not null, name text not null, status text not null,
      version int not null default 1, created_at timestamptz not null default now(), provisioned_at timestamptz,
      unique (account_id, name))`.execute(db);
  await sql`create index machines_page on machines (account_id, id)`.execute(db);
  await sql`create table machine_room (machine_id text primary key, builds int not null default 1)`.execute(
    db,
  );
  await sql`create table machine_effects (operation_id text not null, step text not null)`.execute(db);
}

/** Makes a step misbehave, for as many tries as the test sets. */
export interface Behaviour {
  readonly step: string;
  readonly does:
    | 'fail'
    | 'fail-after-effect'
    | 'retry'
    | 'throw'
    | 'sleep'
    | 'slow'
    | 'hang'
    | 'commit-throws';
  /** The number of tries that misbehave; default: all. */
  readonly times?: number;
}

export interface MachineInput {
  readonly behaviours?: readonly Behaviour[];
  readonly children?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input?: MachineInput;
  }[];
  readonly tolerant?: true;
}

/** Takes up most of the time of a slow step, so that a crash at a random moment usually interrupts it. */
const SLOW_MS = 150;

const Input = Type.Unsafe<MachineInput>({
  type: 'object',
  properties: { behaviours: { type: 'array' }, children: { type: 'array' }, tolerant: { const: true } },
  additionalProperties: false,
});

const once =
  (operationId: string, step: string, more?: Commit): Commit =>
  async (tx) => {
    await tx.insertInto('machine_effects').values({ operation_id: operationId, step }).execute();
    return more?.(tx);
  };

type Effect = (db: Db, machineId: string) => Promise<unknown>;

function step(
  name: string,
  effect: Effect | null,
  more?: (machineId: string) => Commit,
  final?: true,
): Step<MachineInput> {
  return {
    name,
    ...(final === undefined ? {} : { final }),
    async run({ operationId, resourceId, input, tries, db, signal }): Promise<Outcome> {
      const machineId = resourceId;
      const told = input.behaviours?.find(
        (each) => each.step === name && tries < (each.times ?? Number.POSITIVE_INFINITY),
      );
      if (told?.does === 'fail') return failed('engine_failed', `${name} was told to fail.`);
      if (told?.does === 'retry') return failed('engine_failed', `${name} was told to fail for now.`, true);
      if (told?.does === 'throw') throw new Error(`${name} was told to throw.`);
      if (told?.does === 'hang')
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        );
      if (told?.does === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      await effect?.(db, machineId);
      if (told?.does === 'fail-after-effect')
        return failed('engine_failed', `${name} was told to fail late.`);
      if (told?.does === 'sleep' && tries === 0) return { kind: 'sleep', seconds: 3600, waitingFor: 'human' };
      if (told?.does === 'commit-throws')
        return done({}, () => Promise.reject(new Error('told to fail in the commit')));
      return done({ step: name }, once(operationId, name, more?.(machineId)));
    },
  };
}

const stand: Effect = (db, id) =>
  sql`insert into machine_room (machine_id) values (${id}) on conflict do nothing`.execute(db);
const takeDown: Effect = (db, id) => sql`delete from machine_room where machine_id = ${id}`.execute(db);

const setStatus =
  (status: string) =>
  (machineId: string): Commit =>
  async (tx) => {
    const row = await tx
      .updateTable('machines')
      .set({ status, version: sql`version + 1` })
      .where('id', '=', machineId)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) await noteMachine(tx, row);
    return undefined;
  };

export async function noteMachine(db: Db, row: MachineRow): Promise<void> {
  await noteResource(db, {
    id: row.id,
    account_id: row.account_id,
    family: 'workshop',
    type: 'machine',
    name: row.name,
    status: row.status,
    location: null,
    parent_id: null,
    configuration: null,
  });
}

const erase =
  (machineId: string): Commit =>
  async (tx) => {
    const row = await tx
      .deleteFrom('machines')
      .where('id', '=', machineId)
      .returning('name')
      .executeTakeFirst();
    await forgetResource(tx, machineId);
    if (row === undefined) return undefined;
    return [
      {
        type: 'machine.deleted',
        resource: { type: 'machine', id: machineId, name: row.name },
        message: `The machine ${row.name} was deleted.`,
      },
    ];
  };

const common = { family: 'workshop', resourceType: 'machine', input: Input, typicalSeconds: 1 } as const;

export const createMachineKind = kind<typeof Input>({
  ...common,
  type: 'machine.create',
  queue: 'exclusive',
  deadlineSeconds: 600,
  cancellable: true,
  steps: [
    step('reserve', null, setStatus('building')),
    step('build', stand),
    step('boot', null, setStatus('running'), true),
  ],
  undo: [step('take-down', takeDown)],
  erase: async (tx, id) => (await erase(id)(tx)) ?? [],
  provisions: 'machines',
  async settle(tx, { status, resourceId }) {
    if (status === 'failed') await setStatus('error')(resourceId)(tx);
    return undefined;
  },
});

export const restartMachineKind = kind<typeof Input>({
  ...common,
  type: 'machine.restart',
  queue: 'exclusive',
  deadlineSeconds: 600,
  cancellable: false,
  steps: [step('stop', null), step('start', null)],
});

export const extendMachineKind = kind<typeof Input>({
  ...common,
  type: 'machine.extend',
  queue: 'attach',
  deadlineSeconds: 600,
  cancellable: true,
  steps: [step('extend', stand), step('verify', null)],
});

export const deleteMachineKind = kind<typeof Input>({
  ...common,
  type: 'machine.delete',
  queue: 'destroy',
  deadlineSeconds: 600,
  cancellable: false,
  steps: [step('remove', takeDown), step('forget', null, erase)],
});

export const fleetKind = kind<typeof Input>({
  ...common,
  type: 'machine.fleet',
  resourceType: 'machine',
  queue: 'free',
  deadlineSeconds: 600,
  cancellable: true,
  steps: [
    {
      name: 'spread',
      async run({ input, operationId }) {
        return {
          kind: 'children',
          start: (input.children ?? []).map(({ id, name, input: own }) =>
            child({ kind: restartMachineKind, input: own ?? {}, resource: { type: 'machine', id, name } }),
          ),
          ...(input.tolerant ? { tolerant: true as const } : {}),
          commit: once(operationId, 'spread'),
        };
      },
    },
    step('gather', null),
  ],
});

export const machineKinds: readonly Kind[] = [
  createMachineKind,
  restartMachineKind,
  extendMachineKind,
  deleteMachineKind,
  fleetKind,
];

export const machineResource: Resource = {
  type: 'machine',
  permission: 'workshop:machines:read',
  path: '/workshop/v1/machines/{id}',
  eventTypes: eventTypesOf('machine', {
    created: { when: 'A machine was created.' },
    deleted: { when: 'A machine was deleted.' },
  }),
};

export const machineEtag = ({ id, version }: MachineRow): string => etagOf(id, version);
