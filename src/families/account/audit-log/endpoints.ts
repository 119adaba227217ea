import { AuditOutcomeShape } from '../../../kernel/audit/entry.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Time, Type } from '../../../kernel/schema.ts';
import { RESOURCES } from '../references.ts';
import { AuditEntry } from './schema.ts';
import { readEntries } from './store.ts';

const example = {
  data: [
    {
      id: 'aud_01jqzv9t6dg9vsn3y0h5p7r8kw',
      occurred_at: '2026-03-01T10:00:00.000Z',
      actor: {
        kind: 'api_key',
        api_key_id: 'key_01jqzv3c4he8kan6q2v9s7m5dt',
        member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c',
        name: 'ci',
      },
      client_ip: '203.0.113.7',
      user_agent: 'curl/8.5.0',
      source: 'api',
      action: 'revokeApiKey',
      resource: { type: 'api_key', id: 'key_01jqzv3d4je8kan6q2v9s7m5dv', name: 'old-ci' },
      outcome: 'succeeded',
      http_status: 200,
      problem_code: null,
      request_id: 'req_01jqzv9t5xe9rs5d3k8w4t6y0b',
      operation_id: null,
      approval_operation_id: null,
      effects: [
        {
          action: 'delete',
          type: 'api_key',
          id: 'key_01jqzv3d4je8kan6q2v9s7m5dv',
          name: 'old-ci',
          loss: { what: 'The key: calls with it are refused.', recoverable: false },
        },
      ],
      changes: [{ pointer: '/status', before: 'active', after: 'revoked' }],
      prev_hash: '0000000000000000000000000000000000000000000000000000000000000000',
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ],
  next_cursor: null,
};

export const listAuditEntries = endpoint({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/account/v1/audit-log',
  summary: 'List audit entries',
  description:
    'Who changed what, from where, by API keys and by people: one entry for each call that passed authentication and changes something or shows a secret. Kept 400 days.',
  permission: 'account:audit-log:read',
  access: 'read',
  resource: { name: 'audit_entry', role: 'list' },
  query: ListQuery(
    {
      actor: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only entries of this API key or member, by its id.' }),
      ),
      action: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only calls of this operation, such as `revokeApiKey`.' }),
      ),
      resource_id: Type.Optional(
        Ref(
          Type.String({ maxLength: 90, description: 'Only changes of this resource, by its id.' }),
          RESOURCES,
        ),
      ),
      outcome: Type.Optional({ ...AuditOutcomeShape, description: 'Only entries with this outcome.' }),
      since: Type.Optional({ ...Time, description: 'Only entries at or after this time.' }),
      until: Type.Optional({ ...Time, description: 'Only entries before this time.' }),
    },
    { sort: ['-occurred_at', 'occurred_at'] },
  ),
  answers: { 200: List(AuditEntry) },
  problems: [],
  example: { query: { action: 'revokeApiKey' }, answer: { status: 200, body: example } },
  async handle(call) {
    const { rows, nextCursor } = await readEntries(call);
    return ok({
      data: rows.map(({ entry: { effects, changes, ...entry }, prev_hash, hash }) => ({
        ...entry,
        ...(effects === undefined ? {} : { effects: [...effects] }),
        changes: [...changes],
        prev_hash: prev_hash.toString('hex'),
        hash: hash.toString('hex'),
      })),
      next_cursor: nextCursor,
    });
  },
});
