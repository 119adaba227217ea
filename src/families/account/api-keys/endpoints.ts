import { nameOf } from '../../../kernel/access/caller.ts';
import { maskKeys } from '../../../kernel/access/key-format.ts';
import { revokeKeys } from '../../../kernel/access/store.ts';
import { ApiKeyStatus } from '../../../kernel/access/tables.ts';
import type { Call } from '../../../kernel/call.ts';
import { Confirm, requireConfirmation } from '../../../kernel/confirmation.ts';
import { forGood } from '../../../kernel/effect.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { dateFilters, List, ListQuery } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Id, Shape, Time, Type } from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { MEMBERS } from '../references.ts';
import { ApiKey, exampleKey, type KeyRow, presentKey, RevokeReason } from './schema.ts';
import { findKeyById, lastOf, lockKey, readKeys } from './store.ts';

const KeyId = Shape({
  id: Type.Unsafe<string>({
    type: 'string',
    ...written(
      '^(self|key_[0-7][0-9a-hjkmnp-tv-z]{25})$',
      'Must be an id that starts with key_, or self for the calling key.',
    ),
    description: 'The id of a key, or `self` for the calling one.',
  }),
});

/** `self` is the calling key. A person who is signed in calls without one. */
function keyIdOf({ caller, params }: Pick<Call<{ id: string }>, 'caller' | 'params'>): string {
  if (params.id !== 'self') return params.id;
  if (caller.key !== null) return caller.key.id;
  throw new Problem('not_found', { detail: 'You call without an API key, so there is no key `self`.' });
}

function found(row: KeyRow | undefined): KeyRow {
  if (row === undefined) throw new Problem('not_found');
  return row;
}

export const listApiKeys = endpoint({
  id: 'listApiKeys',
  method: 'GET',
  path: '/account/v1/api-keys',
  summary: 'List API keys',
  description: 'All keys of the account with status, permissions and last use. Secrets are never returned.',
  permission: 'account:api-keys:read',
  access: 'read',
  resource: { name: 'api_key', role: 'list' },
  query: ListQuery(
    {
      name: Type.Optional(Type.String({ maxLength: 64, description: 'Only keys with exactly this name.' })),
      ...dateFilters,
      status: Type.Optional({ ...ApiKeyStatus, description: 'Only keys with this status.' }),
      owner: Type.Optional(Ref(Id('mem', { description: 'Only keys that this member owns.' }), MEMBERS)),
      expires_before: Type.Optional({ ...Time, description: 'Only keys that expire before this time.' }),
      unused_since: Type.Optional({
        ...Time,
        description: 'Only keys that were not used at or after this time.',
      }),
      permission: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          ...written(
            '^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*:(read|write|delete)$',
            'Must be a permission such as flexible-vps:vms:read.',
          ),
          description: 'Only keys whose patterns grant this permission.',
        }),
      ),
    },
    { sort: ['created_at', '-created_at', 'name', '-name'] },
  ),
  answers: { 200: List(ApiKey) },
  problems: [],
  example: {
    query: { status: 'active' },
    answer: { status: 200, body: { data: [exampleKey], next_cursor: null } },
  },
  async handle(call) {
    const { rows, nextCursor } = await readKeys(call);
    return ok({ data: rows.map(presentKey), next_cursor: nextCursor });
  },
});

export const getApiKey = endpoint({
  id: 'getApiKey',
  method: 'GET',
  path: '/account/v1/api-keys/{id}',
  summary: 'Get an API key',
  permission: 'account:api-keys:read',
  access: 'read',
  resource: { name: 'api_key', role: 'read' },
  params: KeyId,
  answers: { 200: ApiKey },
  problems: [],
  example: { params: { id: 'self' }, answer: { status: 200, body: exampleKey } },
  async handle(call) {
    const { db, caller } = call;
    return ok(presentKey(found(await findKeyById(db, caller.account.id, keyIdOf(call)))));
  },
});

const lastOnes = {
  account: 'It is the last active key of the account: no call can be made until a person creates a new key.',
  owners: 'It is the last active key of an owner of the account.',
} as const;

/** Throws 422 for the last key of the account or of its owners, unless the caller repeats its name. */
async function requireOthers(
  { db, query, warn }: Pick<Call<unknown, { confirm?: string }>, 'db' | 'query' | 'warn'>,
  key: KeyRow,
): Promise<void> {
  const last = await lastOf(db, key);
  if (last === null) return;
  const loss = lastOnes[last];
  requireConfirmation(query.confirm, { type: 'key', name: key.name, pointer: 'query/confirm', loss });
  warn({ code: 'last_api_key', detail: loss });
}

export const revokeApiKey = endpoint({
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/account/v1/api-keys/{id}',
  summary: 'Revoke an API key',
  description:
    'The key stops working at once and cannot be restored. You may revoke the calling key; this is then its last answer. The last active key of the account, or of its owners, is revoked only with `confirm`. Revoking a revoked key answers 200 again.',
  permission: 'account:api-keys:delete',
  access: 'destructive',
  sensitive: true,
  resource: { name: 'api_key', role: 'delete' },
  params: KeyId,
  query: Shape({
    reason: Type.Optional(RevokeReason),
    comment: Type.Optional(Type.String({ maxLength: 200, description: 'More about why, for the record.' })),
    confirm: Confirm(
      'The name of the key: required for the last active key of the account, or of its owners.',
    ),
  }),
  answers: { 200: ApiKey },
  problems: [],
  example: {
    params: { id: 'key_01jqzv3c4he8kan6q2v9s7m5dt' },
    query: { reason: 'rotated' },
    answer: {
      status: 200,
      body: {
        ...exampleKey,
        status: 'revoked',
        revoked: { at: '2026-03-02T10:00:00.000Z', by: 'deploy', reason: 'rotated' },
      },
    },
  },
  async handle(call) {
    const { db, caller, query, checkVersion, effect, event } = call;
    const keyId = keyIdOf(call);
    const key = found(await lockKey(db, caller.account.id, keyId));
    checkVersion(etagOf(key.id, key.version));
    if (key.status === 'revoked') {
      effect({ action: 'none', type: 'api_key', id: key.id, name: key.name });
      return ok(presentKey(key));
    }
    await requireOthers(call, key);
    const revocation = {
      by: nameOf(caller),
      reason: query.reason ?? null,
      comment: query.comment === undefined ? null : maskKeys(query.comment),
    };
    await revokeKeys(db, [key.id], revocation);
    effect({
      action: 'delete',
      verb: 'revokes',
      type: 'api_key',
      id: key.id,
      name: key.name,
      loss: forGood('The key: calls with it are refused.'),
      changes: [{ pointer: '/status', before: key.status, after: 'revoked' }],
    });
    event({
      type: 'api_key.revoked',
      resource: { type: 'api_key', id: key.id, name: key.name },
      message: `The API key ${key.name} was revoked.`,
      data: { public_id: key.public_id, by: nameOf(caller), reason: revocation.reason },
    });
    return ok(presentKey(found(await findKeyById(db, caller.account.id, keyId))));
  },
});
