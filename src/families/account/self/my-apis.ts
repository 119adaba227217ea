import { DeniedByShape } from '../../../kernel/access/caller.ts';
import { needsApproval } from '../../../kernel/approvals/needs-approval.ts';
import { Family } from '../../../kernel/families.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { sliceFrom } from '../../../kernel/pages/slice.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { byProvider, Named, OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { Method } from '../method.ts';

const ApiAccess = Named(
  'ApiAccess',
  Shape({
    operation_id: Type.String({ description: 'The `operationId` of the endpoint in this document.' }),
    method: Method,
    path: Type.String({ description: 'The path of the endpoint, with its parameters in braces.' }),
    family: Type.String({ description: 'The product family of the endpoint.' }),
    summary: Type.String({ ...byProvider, description: 'What the endpoint does, in a few words.' }),
    permission: Type.String({ description: 'The permission that a key needs to call it.' }),
    effect: OneOf(
      {
        read: 'It changes nothing.',
        write: 'It creates or changes something.',
        destructive: 'It deletes or overwrites something.',
      },
      { description: 'What a call can do to the account.' },
    ),
    allowed: Type.Boolean({ description: 'Whether this key may call it now.' }),
    denied_by: Type.Array(DeniedByShape, { description: 'Why this key may not call it; empty if it may.' }),
    approval_required: Type.Boolean({
      description:
        'Whether a person has to approve each call of this key to this endpoint. A call can also need approval because of its cost, because it loses something for good, or because it loosens a protection.',
    }),
  }),
  { columns: ['operation_id', 'summary', 'permission', 'allowed'] },
);

const example = {
  data: [
    {
      operation_id: 'revokeApiKey',
      method: 'DELETE',
      path: '/account/v1/api-keys/{id}',
      family: 'account',
      summary: 'Revoke an API key',
      permission: 'account:api-keys:delete',
      effect: 'destructive',
      allowed: false,
      denied_by: ['key'],
      approval_required: false,
    },
  ],
  next_cursor: null,
};

export const listMyApis = endpoint({
  id: 'listMyApis',
  method: 'GET',
  path: '/account/v1/my-apis',
  summary: 'List all endpoints and which this key may call',
  description:
    'Every endpoint with `allowed` and, if it is not allowed, the reasons, as a 403 would name them. One call returns all endpoints.',
  permission: 'account:self:read',
  access: 'read',
  resource: { name: 'api_access', role: 'list' },
  query: ListQuery(
    {
      family: Type.Optional({ ...Family, description: 'Only endpoints of this family.' }),
      method: Type.Optional({ ...Method, description: 'Only endpoints with this method.' }),
      allowed: Type.Optional(
        Type.Boolean({ description: 'True: only endpoints that this key may call; false: only the others.' }),
      ),
    },
    { sort: ['family'], maximum: 250, initial: 250 },
  ),
  answers: { 200: List(ApiAccess) },
  problems: [],
  example: { query: { family: 'account', allowed: false }, answer: { status: 200, body: example } },
  async handle(call) {
    const { caller, query, services } = call;
    const rows = services.registry.endpoints
      .map((record) => {
        const { allowed, deniedBy } = caller.decide(record);
        return {
          operation_id: record.id,
          method: record.method,
          path: record.path,
          family: record.family,
          summary: record.summary,
          permission: record.permission,
          effect: record.access,
          allowed,
          denied_by: [...deniedBy],
          approval_required: allowed && needsApproval(caller, record),
        };
      })
      .filter((row) => query.family === undefined || row.family === query.family)
      .filter((row) => query.method === undefined || row.method === query.method)
      .filter((row) => query.allowed === undefined || row.allowed === query.allowed);
    const { page, nextCursor } = sliceFrom(call, 'listMyApis', rows, (row) => row.operation_id);
    return ok({ data: page, next_cursor: nextCursor });
  },
});
