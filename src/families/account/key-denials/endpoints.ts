import { DeniedByShape, denials } from '../../../kernel/access/caller.ts';
import { AllowlistModeShape, PublicId } from '../../../kernel/access/tables.ts';
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { DenialCauseShape } from '../../../kernel/denials/store.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import {
  byCatalogue,
  byOthers,
  byProvider,
  Id,
  keysOf,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { API_KEYS } from '../references.ts';
import { Method } from '../self/my-apis.ts';
import { readDenials, readDropped } from './store.ts';

const codeMeanings = {
  permission_denied: 'The key or the role of its owner does not have the permission.',
  product_not_enabled: 'The product family is not enabled for the account.',
  account_restricted: 'The account may not make calls that raise its cost.',
  account_suspended: 'The account is suspended or closing.',
  portal_only: 'Only a person may do this, not an API key.',
  ip_not_allowed: 'The address of the caller is not on the IP allowlist.',
} as const;
const codes = keysOf(codeMeanings);
type Code = keyof typeof codeMeanings;

const hints: Record<Code, string> = {
  permission_denied: 'Create a key with the required permission, or give its owner a role that has it.',
  product_not_enabled: 'Ask your provider to enable the product.',
  account_restricted: 'Ask your provider why the account is restricted.',
  account_suspended: 'Ask your provider why the account is suspended.',
  portal_only: 'Ask your provider to make this change.',
  ip_not_allowed: 'If the call was yours, ask your provider to add the address to the IP allowlist.',
};

const KeyDenial = Named(
  'KeyDenial',
  Shape({
    id: OwnId('den'),
    cause: DenialCauseShape,
    code: OneOf(codeMeanings, { description: 'The problem code of the refusal.' }),
    enforced: Type.Boolean({
      description: 'False: the call was let through, because the allowlist was in Report only mode.',
    }),
    allowlist_mode: { ...AllowlistModeShape, description: 'The mode of the IP allowlist at that time.' },
    key: Shape(
      {
        id: OwnId('key'),
        public_id: PublicId,
        name: Type.String({ description: 'The name that the key got when it was created.' }),
      },
      { description: 'The key that made the call.' },
    ),
    client_ip: Type.String({ description: 'The address that the call came from.' }),
    method: Method,
    path_template: Type.String({
      ...byCatalogue,
      description: 'The path of the call, with its parameters in braces.',
    }),
    operation_id: Type.String({ description: 'The `operationId` of the call in this document.' }),
    required_permission: Nullable(
      Type.String({ description: 'The permission that the call needs; null if the address was the cause.' }),
    ),
    denied_by: Nullable(
      Type.Array(DeniedByShape, {
        description: 'What did not grant the permission; null if the address was the cause.',
      }),
    ),
    user_agent: Type.String({ ...byOthers, description: 'The header `User-Agent` of the call.' }),
    count: Type.Integer({ description: 'Number of calls: equal denials within ten minutes share one row.' }),
    first_at: { ...Time, description: 'When the first of these calls was made.' },
    last_at: { ...Time, description: 'When the last of these calls was made.' },
    last_request_id: Type.String({ description: 'The `X-Request-Id` of the last of these calls.' }),
    hint: Type.String({
      ...byProvider,
      description: 'What to do if the call should be allowed, in one sentence.',
    }),
  }),
  { columns: ['last_at', 'cause', 'key', 'client_ip', 'operation_id', 'count'] },
);

const example = {
  data: [
    {
      id: 'den_01jqzv7r5cf8trm2z9g4n6s8xw',
      cause: 'permission',
      code: 'permission_denied',
      enforced: true,
      allowlist_mode: 'off',
      key: { id: 'key_01jqzv3c4he8kan6q2v9s7m5dt', public_id: 'EXAMPLEkey00', name: 'ci' },
      client_ip: '203.0.113.7',
      method: 'DELETE',
      path_template: '/account/v1/api-keys/{id}',
      operation_id: 'revokeApiKey',
      required_permission: 'account:api-keys:delete',
      denied_by: ['key'],
      user_agent: 'curl/8.5.0',
      count: 3,
      first_at: '2026-03-01T10:00:00.000Z',
      last_at: '2026-03-01T10:00:04.000Z',
      last_request_id: 'req_01jqzv7r4xe9rs5d3k8w4t6y0b',
      hint: hints.permission_denied,
    },
  ],
  next_cursor: null,
  dropped: 0,
};

export const listKeyDenials = endpoint({
  id: 'listKeyDenials',
  method: 'GET',
  path: '/account/v1/key-denials',
  summary: 'List recent API key denials',
  description:
    'Calls that were refused in the last 30 days (or would have been, in Report only mode), because of a permission or the IP allowlist. They appear within 5 seconds.',
  permission: 'account:key-denials:read',
  access: 'read',
  resource: { name: 'key_denial', role: 'list' },
  query: ListQuery(
    {
      cause: Type.Optional({ ...DenialCauseShape, description: 'Only denials with this cause.' }),
      enforced: Type.Optional(
        Type.Boolean({
          description:
            'True: only calls that were refused. False: only calls that Report only mode let through.',
        }),
      ),
      key_id: Type.Optional(Ref(Id('key', { description: 'Only denials of this key.' }), API_KEYS)),
      client_ip: Type.Optional(
        Type.String({ maxLength: 45, ...addressFor('filter'), description: 'Only calls from this address.' }),
      ),
      since: Type.Optional({ ...Time, description: 'Only denials last seen at or after this time.' }),
    },
    { sort: ['-first_at', 'first_at'] },
  ),
  answers: {
    200: List(KeyDenial, {
      dropped: Type.Integer({
        description: 'Denials of the last 30 days that were not recorded because there were too many.',
      }),
    }),
  },
  problems: [],
  example: { query: { cause: 'permission' }, answer: { status: 200, body: example } },
  async handle(call) {
    const { rows, nextCursor } = await readDenials(call);
    return ok({
      data: rows.map((row) => {
        const code = codes.find((known) => known === row.code) ?? 'permission_denied';
        return {
          ...row,
          method: row.method as Static<typeof Method>,
          code,
          key: { id: row.key_id, public_id: row.key_public_id, name: row.key_name },
          denied_by: row.denied_by === null ? null : denials.filter((name) => row.denied_by?.includes(name)),
          first_at: row.first_at.toISOString(),
          last_at: row.last_at.toISOString(),
          hint: hints[code],
        };
      }),
      next_cursor: nextCursor,
      dropped: await readDropped(call.db, call.caller.account.id),
    });
  },
});
