/** Endpoints for machines in the test family, written like endpoints of a product family. Changes start operations. */
import { sql } from 'kysely';
import { forGood } from '../kernel/effect.ts';
import { exampleOperation } from '../kernel/operations/example.ts';
import { OperationView, PendingOperation, presentOperation } from '../kernel/operations/schema.ts';
import type { StoredOperation } from '../kernel/operations/store.ts';
import { List, ListQuery } from '../kernel/pages/list.ts';
import { readPage, type SortKey } from '../kernel/pages/store.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { accepted, endpoint, ok } from '../kernel/record.ts';
import {
  Etag,
  Id,
  Named,
  OneOf,
  ProvisionedAt,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
  volatile,
} from '../kernel/schema.ts';
import type { Db } from '../store/database.ts';
import {
  createMachineKind,
  deleteMachineKind,
  extendMachineKind,
  type MachineRow,
  machineEtag,
  noteMachine,
  restartMachineKind,
} from './machines.ts';

const Machine = Named(
  'Machine',
  Shape({
    id: Id('mac'),
    name: ResourceName,
    status: Type.String(volatile),
    operation: PendingOperation,
    etag: Etag,
    created_at: Time,
    provisioned_at: ProvisionedAt,
  }),
);
const MachineId = Shape({ id: Id('mac') });

const example: Static<typeof Machine> = {
  id: 'mac_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'one',
  status: 'running',
  operation: null,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  provisioned_at: '2026-03-01T10:00:01.000Z',
};
const operationExample = exampleOperation(createMachineKind, example);

function present(
  row: MachineRow,
  operation: StoredOperation | undefined,
  baseUrl: string,
): Static<typeof Machine> {
  const { id, name, status, created_at, provisioned_at } = row;
  return {
    id,
    name,
    status,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    etag: machineEtag(row),
    created_at: created_at.toISOString(),
    provisioned_at: provisioned_at?.toISOString() ?? null,
  };
}

async function find(db: Db, accountId: string, id: string, lock = false): Promise<MachineRow> {
  let query = db.selectFrom('machines').selectAll().where('id', '=', id).where('account_id', '=', accountId);
  if (lock) query = query.forUpdate();
  const row = await query.executeTakeFirst();
  if (row === undefined) throw new Problem('not_found');
  return row;
}

/** Reads the machine and its unfinished operation in one query. */
async function findWithWork(db: Db, accountId: string, id: string) {
  const found = await db
    .selectFrom('machines')
    .leftJoin('operations', (join) =>
      join.onRef('operations.resource_id', '=', 'machines.id').on('operations.finished_at', 'is', null),
    )
    .selectAll('operations')
    .select([
      'machines.id as machine_id',
      'machines.account_id as machine_account_id',
      'machines.name as machine_name',
      'machines.status as machine_status',
      'machines.version as machine_version',
      'machines.created_at as machine_created_at',
      'machines.provisioned_at as machine_provisioned_at',
    ])
    .where('machines.id', '=', id)
    .where('machines.account_id', '=', accountId)
    .orderBy('operations.id')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) throw new Problem('not_found');
  const machine: MachineRow = {
    id: found.machine_id,
    account_id: found.machine_account_id,
    name: found.machine_name,
    status: found.machine_status,
    version: found.machine_version,
    created_at: found.machine_created_at,
    provisioned_at: found.machine_provisioned_at,
  };
  return { machine, operation: found.id === null ? undefined : (found as StoredOperation) };
}

const byId: SortKey = { column: sql.ref('machines.id'), type: 'text' };

const listMachines = endpoint({
  id: 'listMachines',
  method: 'GET',
  path: '/workshop/v1/machines',
  summary: 'List test machines',
  permission: 'workshop:machines:read',
  access: 'read',
  resource: { name: 'machine', role: 'list' },
  query: ListQuery({}, { sort: ['created_at', '-created_at'] }),
  answers: { 200: List(Machine) },
  problems: [],
  example: { answer: { status: 200, body: { data: [example], next_cursor: null } } },
  async handle(call) {
    const query = call.db.selectFrom('machines').selectAll().where('account_id', '=', call.caller.account.id);
    const { rows, nextCursor } = await readPage(call, query, {
      endpoint: 'listMachines',
      id: byId,
      sorts: { created_at: byId },
    });
    return ok({
      data: rows.map((row) => present(row, undefined, call.services.baseUrl)),
      next_cursor: nextCursor,
    });
  },
});

const getMachine = endpoint({
  id: 'getMachine',
  method: 'GET',
  path: '/workshop/v1/machines/{id}',
  summary: 'Get a test machine',
  permission: 'workshop:machines:read',
  access: 'read',
  resource: { name: 'machine', role: 'read' },
  params: MachineId,
  answers: { 200: Machine },
  problems: [],
  example: { params: { id: example.id }, answer: { status: 200, body: example } },
  async handle({ db, caller, params, services }) {
    const { machine, operation } = await findWithWork(db, caller.account.id, params.id);
    return ok(present(machine, operation, services.baseUrl));
  },
});

const createMachine = endpoint({
  id: 'createMachine',
  method: 'POST',
  path: '/workshop/v1/machines',
  summary: 'Create a test machine',
  permission: 'workshop:machines:write',
  access: 'write',
  resource: { name: 'machine', role: 'create' },
  body: Shape({ name: ResourceName }),
  answers: { 202: Machine },
  problems: ['name_taken'],
  operation: createMachineKind,
  example: {
    body: { name: 'one' },
    answer: {
      status: 202,
      body: { ...example, status: 'creating', provisioned_at: null, operation: operationExample },
    },
  },
  async handle({ db, caller, body, effect, event, start, requestId, services }) {
    const id = requestId.replace(/^req/, 'mac');
    const { id: accountId } = caller.account;
    const taken = await db
      .selectFrom('machines')
      .select('id')
      .where('account_id', '=', accountId)
      .where('name', '=', body.name)
      .executeTakeFirst();
    if (taken !== undefined) throw new Problem('name_taken', { extra: { existing_id: taken.id } });
    const row = await db
      .insertInto('machines')
      .values({ id, account_id: accountId, name: body.name, status: 'creating' })
      .returningAll()
      .executeTakeFirstOrThrow();
    await noteMachine(db, row);
    const resource = { type: 'machine', id, name: body.name };
    const operation = await start({ kind: createMachineKind, input: {}, resource });
    effect({ action: 'create', ...resource });
    event({ type: 'machine.created', resource, message: `The machine ${body.name} is being created.` });
    return accepted(present(row, operation, services.baseUrl));
  },
});

const deleteMachine = endpoint({
  id: 'deleteMachine',
  method: 'DELETE',
  path: '/workshop/v1/machines/{id}',
  summary: 'Delete a test machine',
  permission: 'workshop:machines:delete',
  access: 'destructive',
  resource: { name: 'machine', role: 'delete' },
  params: MachineId,
  answers: { 202: Machine },
  problems: [],
  operation: deleteMachineKind,
  example: {
    params: { id: example.id },
    answer: { status: 202, body: { ...example, status: 'deleting', operation: operationExample } },
  },
  async handle({ db, caller, params, checkVersion, effect, start, services }) {
    const before = await find(db, caller.account.id, params.id, true);
    checkVersion(machineEtag(before));
    const row = await db
      .updateTable('machines')
      .set({ status: 'deleting', version: sql`version + 1` })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const resource = { type: 'machine', id: row.id, name: row.name };
    const operation = await start({ kind: deleteMachineKind, input: {}, resource });
    await noteMachine(db, row);
    effect({ action: 'delete', ...resource, loss: forGood('All data on the disk.') });
    return accepted(present(row, operation, services.baseUrl));
  },
});

const actions = { restart: restartMachineKind, extend: extendMachineKind } as const;

const actOnMachine = endpoint({
  id: 'actOnMachine',
  method: 'POST',
  path: '/workshop/v1/machines/{id}/actions',
  summary: 'Restart or extend a test machine',
  permission: 'workshop:machines:write',
  access: 'write',
  resource: { name: 'machine', role: 'action' },
  params: MachineId,
  body: Shape({ action: OneOf(['restart', 'extend']) }),
  answers: { 202: OperationView },
  problems: ['operation_in_progress', 'operation_queue_full'],
  operation: restartMachineKind,
  example: {
    params: { id: example.id },
    body: { action: 'extend' },
    answer: { status: 202, body: operationExample },
  },
  async handle({ db, caller, params, body, effect, start, services }) {
    const row = await find(db, caller.account.id, params.id, true);
    const resource = { type: 'machine', id: row.id, name: row.name };
    const operation = await start({ kind: actions[body.action], input: {}, resource });
    effect({ action: 'start', ...resource });
    return accepted(presentOperation(operation, services.baseUrl));
  },
});

export const machineEndpoints = [listMachines, getMachine, createMachine, deleteMachine, actOnMachine];
