import { describe, expect, it } from 'vitest';
import { List, ListQuery } from '../pages/list.ts';
import { type Endpoint, endpoint, noContent, ok } from '../record.ts';
import { Shape, Type } from '../schema.ts';
import { type ProblemCode, problems } from './catalogue.ts';
import { possibleProblems } from './possible.ts';

const readSelf = endpoint({
  id: 'readSelf',
  method: 'GET',
  path: '/account/v1/self',
  summary: 'Read oneself',
  permission: 'account:self:read',
  access: 'read',
  resource: { name: 'self', role: 'read' },
  answers: { 200: Shape({ id: Type.String() }) },
  problems: [],
  example: { answer: { status: 200, body: { id: 'a' } } },
  handle: async () => ok({ id: 'a' }),
});

const orderThing = endpoint({
  id: 'orderThing',
  method: 'POST',
  path: '/storage/v1/shelves/{id}/things',
  summary: 'Order a thing',
  permission: 'storage:things:write',
  access: 'write',
  raisesCost: true,
  resource: { name: 'thing', role: 'create' },
  params: Shape({ id: Type.String() }),
  body: Shape({ name: Type.String() }),
  answers: { 204: null },
  problems: ['name_taken', 'idempotency_key_required'],
  example: { answer: { status: 204, body: null } },
  handle: async () => noContent,
});

const codesOf = (record: Endpoint): Set<ProblemCode> => new Set(possibleProblems(record));

describe('possibleProblems', () => {
  it('contains only the common problems for a read that every key may make', () => {
    expect(possibleProblems(readSelf)).toEqual([
      'malformed_request',
      'api_key_missing',
      'bearer_not_supported',
      'api_key_malformed',
      'api_key_invalid',
      'api_key_expired',
      'api_key_suspended',
      'api_key_revoked',
      'ip_not_allowed',
      'not_acceptable',
      'validation_failed',
      'rate_limited',
      'headers_too_large',
      'internal_error',
      'engine_unavailable',
    ]);
  });

  it('adds the problems of the kind of call and of the record', () => {
    const added = codesOf(orderThing);
    for (const code of possibleProblems(readSelf)) added.delete(code);
    expect([...added]).toEqual([
      'permission_denied',
      'product_not_enabled',
      'account_restricted',
      'account_suspended',
      'not_found',
      'request_timeout',
      'approval_required',
      'approval_mismatch',
      'approval_expired',
      'name_taken',
      'quota_exceeded',
      'budget_exceeded',
      'idempotency_key_conflict',
      'idempotency_in_progress',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_key_required',
      'secret_in_text',
    ]);
  });

  it('adds invalid_cursor for lists and etag_mismatch for PUT, PATCH and DELETE', () => {
    const query = ListQuery({}, { sort: ['name'] });
    const list: Endpoint = { ...readSelf, query, answers: { 200: List(Type.String()) } };
    expect(codesOf(list)).toContain('invalid_cursor');
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      expect(codesOf({ ...orderThing, method })).toContain('etag_mismatch');
      expect(codesOf({ ...orderThing, method })).not.toContain('idempotency_in_progress');
    }
    expect(codesOf({ ...orderThing, method: 'DELETE' })).not.toContain('account_suspended');
  });

  it('keeps the order of the catalogue', () => {
    const order = Object.keys(problems);
    const found = possibleProblems({ ...orderThing, problems: ['secret_in_text', 'invalid_state'] });
    expect(found).toEqual(found.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
  });
});
