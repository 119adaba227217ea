import { denials } from '../../../kernel/access/caller.ts';
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { DenialCauseShape } from '../../../kernel/denials/store.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Id, type Static, Time, Type } from '../../../kernel/schema.ts';
import type { Method } from '../method.ts';
import { API_KEYS } from '../references.ts';
import { codes, type DenialCode, KeyDenial } from './schema.ts';
import { readDenials, readDropped } from './store.ts';

const hints: Record<DenialCode, string> = {
  permission_denied: 'Create a key with the required permission, or give its owner a role that has it.',
  product_not_enabled: 'Ask your provider to enable the product.',
  account_restricted: 'Ask your provider why the account is restricted.',
  account_suspended: 'Ask your provider why the account is suspended.',
  portal_only: 'Ask your provider to make this change.',
  ip_not_allowed: 'If the call was yours, ask your provider to add the address to the IP allowlist.',
};

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
