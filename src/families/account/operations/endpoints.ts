import { isOwn } from '../../../kernel/access/caller.ts';
import { maskKeys } from '../../../kernel/access/key-format.ts';
import { maySee, OmittedTypes, sightOf } from '../../../kernel/access/visibility.ts';
import type { Call } from '../../../kernel/call.ts';
import { forNow } from '../../../kernel/effect.ts';
import { Family } from '../../../kernel/families.ts';
import {
  cancelOperation as cancel,
  mayCancel,
  requireRightToCancel,
} from '../../../kernel/operations/cancellation.ts';
import {
  hasEnded,
  type OperationRow,
  OperationStatusShape,
  OperationView,
  presentOperation,
} from '../../../kernel/operations/schema.ts';
import { findOperation } from '../../../kernel/operations/store.ts';
import { operationText } from '../../../kernel/operations/text.ts';
import { dateFilters, List, ListQuery } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint, ok } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Id, Shape, Type } from '../../../kernel/schema.ts';
import { endOf } from '../../../kernel/waiting/channels.ts';
import { API_KEYS, OPERATIONS, RESOURCES } from '../references.ts';
import { exampleOperation } from './example.ts';
import { readOperations } from './store.ts';
import { subjectsAsked } from './subjects.ts';

const OperationId = Shape({ id: Id('op') });

type Lookup = Pick<Call<{ id: string }>, 'db' | 'caller' | 'services' | 'params'>;

/** Operations that the key may not read answer 404. A key may always read the operations that it started. */
function isThere({ caller, services }: Lookup, row: OperationRow | undefined): row is OperationRow {
  if (row === undefined) return false;
  return isOwn(caller, row) || maySee(caller, services.registry.subjects.get(row.resource_type));
}

const look = ({ db, caller, params }: Lookup): Promise<OperationRow | undefined> =>
  findOperation(db, caller.account.id, params.id);

function found(call: Lookup, row: OperationRow | undefined): OperationRow {
  if (!isThere(call, row)) throw new Problem('not_found');
  return row;
}

export const listOperations = endpoint({
  id: 'listOperations',
  method: 'GET',
  path: '/account/v1/operations',
  summary: 'List operations of all families',
  description:
    'Newest first, kept 30 days after their end. You see operations that your key started and those on resources that it may read; `omitted` lists the types that are hidden. Requests for approval are operations of the type `approval.request`.',
  permission: 'account:operations:read',
  access: 'read',
  resource: { name: 'operation', role: 'list' },
  query: ListQuery(
    {
      ids: Type.Optional(
        Type.Array(Type.String({ maxLength: 90 }), {
          minItems: 1,
          maxItems: 50,
          description: 'Only operations with these ids, separated by commas.',
        }),
      ),
      family: Type.Optional({ ...Family, description: 'Only operations of this family.' }),
      type: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only this kind, such as `vm.create`.' }),
      ),
      status: Type.Optional({ ...OperationStatusShape, description: 'Only operations with this status.' }),
      resource_id: Type.Optional(
        Ref(Type.String({ maxLength: 90, description: 'Only operations on this resource.' }), RESOURCES),
      ),
      api_key_id: Type.Optional(
        Ref(Id('key', { description: 'Only operations that this key started.' }), API_KEYS),
      ),
      parent_id: Type.Optional(
        Ref(Id('op', { description: 'Only the children of this operation.' }), OPERATIONS),
      ),
      ...dateFilters,
    },
    { sort: ['-created_at', 'created_at'] },
  ),
  answers: { 200: List(OperationView, { omitted: OmittedTypes }) },
  problems: [],
  example: {
    query: { status: 'running' },
    answer: {
      status: 200,
      body: {
        data: [exampleOperation],
        next_cursor: null,
        omitted: [{ family: 'storage', resource_type: 'bucket', missing_permission: 'storage:buckets:read' }],
      },
    },
  },
  async handle(call) {
    const { services, caller, query } = call;
    const { visible } = sightOf(caller, services.registry.subjects);
    const { omitted } = sightOf(caller, subjectsAsked(services.registry, query));
    const { rows, nextCursor } = await readOperations(call, visible);
    const data = rows.map((row) => presentOperation(row, services.baseUrl));
    return ok({ data, next_cursor: nextCursor, omitted });
  },
});

export const getOperation = endpoint({
  id: 'getOperation',
  method: 'GET',
  path: '/account/v1/operations/{id}',
  summary: 'Get an operation',
  description:
    'With `Prefer: wait=N` or `?wait=N` (1-60 seconds) the answer waits until the operation ends or the time is over. With `Accept: text/plain` it is written for people.',
  permission: 'account:operations:read',
  access: 'read',
  resource: { name: 'operation', role: 'read' },
  waits: true,
  params: OperationId,
  answers: { 200: OperationView },
  formats: { 'text/plain': operationText },
  problems: [],
  example: {
    params: { id: exampleOperation.id },
    answer: { status: 200, body: exampleOperation },
  },
  async handle(call) {
    const { caller, params, services } = call;
    const row = await call.hold({
      keys: [endOf(params.id)],
      look: () => look(call),
      isDone: (seen) => !isThere(call, seen) || hasEnded(seen.status),
      question: () => `operation ${caller.account.id} ${params.id}`,
    });
    return ok(presentOperation(found(call, row), services.baseUrl));
  },
});

export const cancelOperation = endpoint({
  id: 'cancelOperation',
  method: 'POST',
  path: '/account/v1/operations/{id}/cancel',
  summary: 'Cancel an operation or withdraw an approval request',
  description:
    'Allowed for the key that started the operation and for keys that could have started it. A queued operation or a request for approval ends at once; a running operation stops and rolls back what it created (`cancelling`). If it is already cancelled, the answer is 200.',
  permission: 'account:operations:write',
  access: 'write',
  whileSuspended: true,
  resource: { name: 'operation', role: 'action' },
  params: OperationId,
  body: Shape({
    reason: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Why you cancel it, for the audit log. Default: no reason is recorded.',
      }),
    ),
  }),
  answers: { 200: OperationView, 202: OperationView },
  problems: ['not_cancellable'],
  example: {
    params: { id: exampleOperation.id },
    body: { reason: 'The wrong image.' },
    answer: { status: 202, body: { ...exampleOperation, status: 'cancelling', cancellable: false } },
  },
  async handle(call) {
    const { db, caller, services, body, params } = call;
    const row = await look(call);
    // Who may cancel an operation need not be able to read its resource.
    const before = row !== undefined && mayCancel(caller, row) ? row : found(call, row);
    requireRightToCancel(caller, before);
    const outcome = await cancel(db, services.registry, before.id);
    const after = (await findOperation(db, caller.account.id, params.id)) ?? before;
    const isNews = outcome !== 'as_wanted';
    const status = { pointer: '/status', before: before.status, after: after.status };
    const reason = { pointer: '/reason', before: null, after: maskKeys(body.reason ?? '') };
    const resource = { type: 'operation', id: after.id, name: after.type };
    if (isNews)
      call.effect({
        action: 'cancel',
        ...resource,
        loss: forNow('The work that the operation has done so far.'),
        changes: [status, ...(body.reason === undefined ? [] : [reason])],
      });
    else call.effect({ action: 'none', ...resource });
    call.follow(after);
    const view = presentOperation(after, services.baseUrl);
    return before.status === 'cancelled' ? ok(view) : accepted(view);
  },
});
