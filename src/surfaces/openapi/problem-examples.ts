/**
 * One example for each of the two most likely problems of an endpoint. Their texts come from the problem catalogue, and
 * which problems are likely follows from the endpoint record. Endpoints share the examples.
 */

import { IMPLICIT } from '../../kernel/access/permissions.ts';
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import { invalid, Problem, problemBody } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { unknownMember } from '../../kernel/unknown-members.ts';
import { EXAMPLE_ADDRESS } from './example-address.ts';

const ID = '01jqzv2m7xe9rs5d3k8w4t6y0b';
const REQUEST_ID = 'req_01k9zt6m7qf0x8r3v5c2d4e6g8';
const RETRY_AFTER_SECONDS = 9;

/** Example values of the members that some codes add to a problem. */
const addedMembers: Readonly<Record<string, unknown>> = {
  agent_last_seen_at: '2026-03-01T10:00:00.000Z',
  allowed_states: ['running', 'stopped'],
  alternatives: [{ location: 'fra1', plan: 'flex-2-4' }],
  amount: '100.00',
  approve_url: `${EXAMPLE_ADDRESS}/portal/approvals/op_${ID}`,
  attached_to: `vm_${ID}`,
  budget_id: `bud_${ID}`,
  capability: 'console_log',
  client_ip: '203.0.113.7',
  committed: '20.00',
  current_etag: 'q3w2c9T1hVb7Zk0m',
  current_state: 'creating',
  denied_by: ['key'],
  existing_id: `vm_${ID}`,
  expires_at: '2026-03-01T10:15:00.000Z',
  family: 'flexible-vps',
  limit: 10,
  limit_id: 'flexible-vps.vms',
  operation_id: `op_${ID}`,
  operation_status: 'succeeded',
  placement_group_id: `pg_${ID}`,
  reason: 'memory_shrink',
  requested: 1,
  required_permission: 'flexible-vps:vms:read',
  snapshot_ids: [`snap_${ID}`],
  spent: '75.00',
  used: 10,
  used_by: [{ type: 'vm', id: `vm_${ID}`, name: 'web-1' }],
  used_by_count: 1,
};

/** A member that no request body has. */
export const UNKNOWN_MEMBER = 'colour';

const inBody = invalid([unknownMember(`/${UNKNOWN_MEMBER}`, UNKNOWN_MEMBER, {})]);
const inQuery = invalid([{ pointer: 'query/limit', code: 'out_of_range', detail: 'Must be <= 200.' }]);

function problemOf(code: ProblemCode): Problem {
  const { extra = [], retryable } = problems[code];
  return new Problem(code, {
    extra: Object.fromEntries(extra.map((name) => [name, addedMembers[name]])),
    ...(retryable ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
  });
}

const hasMembers = (shape: object | undefined): boolean =>
  Object.keys((shape as { properties?: object } | undefined)?.properties ?? {}).length > 0;

/** The two problems that callers of this endpoint meet most often, the most likely one first. */
export function likelyProblems(endpoint: Endpoint): ProblemCode[] {
  const [own] = endpoint.problems;
  const candidates: readonly (ProblemCode | false | undefined)[] = [
    hasMembers(endpoint.body) && 'validation_failed',
    own,
    hasMembers(endpoint.params) && 'not_found',
    !IMPLICIT.includes(endpoint.permission) && 'permission_denied',
    Object.hasOwn(endpoint.query.properties, 'limit') && 'validation_failed',
    'api_key_invalid',
    'rate_limited',
  ];
  return [...new Set(candidates.filter((code) => typeof code === 'string'))].slice(0, 2);
}

export interface ProblemExample {
  readonly name: string;
  readonly code: ProblemCode;
  readonly problem: Problem;
}

export function problemExamplesOf(endpoint: Endpoint): ProblemExample[] {
  return likelyProblems(endpoint).map((code) => {
    if (code !== 'validation_failed') return { name: code, code, problem: problemOf(code) };
    return hasMembers(endpoint.body)
      ? { name: code, code, problem: inBody }
      : { name: `${code}_in_query`, code, problem: inQuery };
  });
}

export const problemExampleBody = (problem: Problem, docsUrl: string): object =>
  problemBody(problem, REQUEST_ID, docsUrl);
