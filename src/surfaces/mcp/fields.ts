/** Which members of an answer a model gets: those it names, or the few that it needs after a change. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { nearest } from '../../kernel/did-you-mean.ts';
import { managedResource, membersOf } from '../../kernel/managed-resource.ts';
import { OperationView } from '../../kernel/operations/schema.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { hasSecret } from '../../kernel/serialise.ts';
import type { Outcome } from './inner-call.ts';
import { refusal } from './results.ts';

export const rowSchema = (schema: TSchema | null | undefined): TSchema | undefined =>
  (schema as { properties?: { data?: { items?: TSchema } } } | null | undefined)?.properties?.data?.items;

const answerOf = ({ answers }: Endpoint): TSchema | null | undefined =>
  answers[200] ?? answers[201] ?? answers[202];

const MOST_NAMES = 60;

/** Refuses names that the answer does not have; a model would take their absence for a fact. */
export function refusedFields(
  endpoint: Endpoint,
  fields: readonly string[] | undefined,
): CallToolResult | undefined {
  const names = Object.keys(membersOf(rowSchema(answerOf(endpoint)) ?? answerOf(endpoint)));
  const wrong = (fields ?? []).flatMap((field, i) => (names.includes(field) ? [] : [{ field, i }]));
  if (wrong.length === 0 || names.length === 0) return undefined;
  const hints = wrong.map(({ field, i }) => {
    const near = nearest(field, names);
    return `fields/${i} is no member of the answer${near === null ? '' : `; did you mean ${near}?`}`;
  });
  return refusal({
    code: 'unknown_field',
    detail: `${hints.join(' ')}${hints.at(-1)?.endsWith('?') ? '' : '.'} Nothing was done.`,
    members: names.slice(0, MOST_NAMES),
    next_step: 'Name only members of the answer in fields.',
  });
}

/** The members that are named, and the id, without which a row cannot be used. */
export function pick(row: unknown, fields: readonly string[] | undefined): unknown {
  if (fields === undefined || row === null || typeof row !== 'object' || Array.isArray(row)) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => name === 'id' || fields.includes(name)));
}

const BRIEF = ['id', 'name', 'status', 'status_reason', 'etag'];
/** Of an operation, which some actions answer with. */
const BRIEF_OPERATION = ['id', 'type', 'status', 'resource', 'error', 'result'];

/**
 * After a change, a model has read the resource or wrote it itself: it gets what says which one it is and how it is.
 * Secrets are shown once, so they stay, and so does what no later read shows.
 */
export function brief({ endpoint, status, body }: Outcome, endpoints: readonly Endpoint[]): unknown {
  const members = membersOf(endpoint.answers[status as keyof Endpoint['answers']]);
  if (members === membersOf(OperationView) && body !== null && typeof body === 'object')
    return Object.fromEntries(
      Object.entries(body).filter(([name, value]) => BRIEF_OPERATION.includes(name) && value !== null),
    );
  const shape = membersOf(managedResource(endpoint.resource.name, endpoints)?.shape);
  const isResource = 'id' in shape && Object.keys(shape).every((name) => name in members);
  if (!isResource || body === null || typeof body !== 'object') return body;
  const isKept = (name: string): boolean => {
    const member = members[name];
    return BRIEF.includes(name) || !(name in shape) || (member !== undefined && hasSecret(member));
  };
  return Object.fromEntries(Object.entries(body).filter(([name]) => isKept(name)));
}
