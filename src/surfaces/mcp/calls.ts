/** The parts of the tools that make calls. Which tool may make a call is decided by its record. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { nearest } from '../../kernel/did-you-mean.ts';
import { type Endpoint, isAsync } from '../../kernel/record.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { DryRun } from '../../pipeline/dry-run-shape.ts';
import { queryShapeOf } from '../../pipeline/input.ts';
import { marked } from './customer-text.ts';
import { type CallTool, toolFor } from './describe.ts';
import { pick, refusedFields, rowSchema } from './fields.ts';
import { BUDGET, countThatFits, narrowRows, sizeOf } from './fit.ts';
import { type FitOptions, fitted, isTrial } from './fitted.ts';
import type { ApiCaller, CallRequest, Outcome } from './inner-call.ts';
import { memberOf, partOf } from './left-out.ts';
import { type Json, refusal, refusedOutcome, success, unknownOperation } from './results.ts';
import { summarised } from './series.ts';
import { unfolded } from './unfold.ts';

export interface CallArguments {
  readonly operation: string;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly fields?: readonly string[];
  readonly limit?: number;
  readonly cursor?: string;
  readonly dry_run?: boolean;
  readonly idempotency_key?: string;
  readonly if_match?: string;
  readonly approval_id?: string;
  readonly wait_seconds?: number;
  readonly confirm?: string;
}

const DEFAULT_ROWS = 20;

export const takes = (endpoint: Endpoint, name: string): boolean =>
  Object.hasOwn(queryShapeOf(endpoint).properties, name);

export const bodyTakes = ({ body }: Endpoint, name: string): boolean =>
  Object.hasOwn((body as { properties?: object } | undefined)?.properties ?? {}, name);

/** The operation, or the result that refuses it. */
export function callOf(
  endpoints: readonly Endpoint[],
  tool: CallTool,
  { operation }: CallArguments,
  isInBatch = false,
): Endpoint | CallToolResult {
  const endpoint = endpoints.find(({ id }) => id === operation);
  if (endpoint === undefined) {
    const near = nearest(
      operation,
      endpoints.map(({ id }) => id),
    );
    return unknownOperation([operation], near === null ? [] : [near]);
  }
  const right = toolFor(endpoint);
  // A batch may contain what is less dangerous than its tool.
  const isMilder = right === 'call_read' || tool === 'call_destructive';
  if (right === tool || (isInBatch && isMilder)) return endpoint;
  return refusal({
    code: 'wrong_tool',
    detail: `${endpoint.id} is a call for ${right}. Nothing was done.`,
    next_step: `Make the same call with ${right}.`,
  });
}

const rowsOf = (body: unknown): readonly unknown[] | undefined => {
  const rows = (body as { data?: unknown } | null)?.data;
  return Array.isArray(rows) && 'next_cursor' in (body as object) ? rows : undefined;
};

export function schemaOf({ endpoint, status, body }: Outcome): TSchema | null | undefined {
  if (isTrial({ body })) return DryRun;
  return endpoint.answers[status as keyof Endpoint['answers']];
}

const readerOf = ({ services }: ApiCaller, { resource: { name } }: Endpoint): Endpoint | undefined =>
  services.registry.endpoints.find(({ resource }) => resource.name === name && resource.role === 'read');

/** A part of a list in one row is read with the call that reads this row. */
const partsOf = ({ id }: Endpoint): string =>
  `An item with left_out stands for items of its row: read them with call_read ${id}, the id of the row, and cursor set to its text. As cursor of the list it is not known.`;

/** The rows of a list, marked and narrowed. If not all of them fit, the page is read again with fewer rows. */
async function listResult(
  api: ApiCaller,
  first: Outcome,
  request: CallRequest,
  fields: readonly string[] | undefined,
): Promise<CallToolResult> {
  const show = ({ body, ...rest }: Outcome): unknown[] =>
    (rowsOf(body) ?? []).map((row) =>
      marked(pick(row, fields), rowSchema(schemaOf({ body, ...rest })), api.services),
    );
  let outcome = first;
  const narrowed = narrowRows(show(outcome), BUDGET, fields);
  const { left } = narrowed;
  let rows: readonly unknown[] = narrowed.value;
  const count = countThatFits(rows);
  const all = rows.length;
  if (count < all) {
    outcome = await api.call(first.endpoint, { ...request, query: { ...request.query, limit: count } });
    if (outcome.isRefused) return refusedOutcome(outcome);
    rows = show(outcome).map((row) => left.reduce((kept, name) => omit(kept, name), row));
  }
  const shortened: string[] = [];
  if (sizeOf(rows) > BUDGET) {
    const { body, ...rest } = outcome;
    const budget = BUDGET / rows.length;
    const cuts = rows.map((row, i) => fitted(api, row, { ...rest, body: rowsOf(body)?.[i] }, { budget }));
    rows = cuts.map(({ value }) => value);
    shortened.push(...new Set(cuts.flatMap(({ truncated }) => truncated?.shortened ?? [])));
  }
  const { data: _, next_cursor, ...more } = outcome.body as Json;
  const isNarrowed = left.length > 0 || shortened.length > 0 || count < all;
  const reader = readerOf(api, first.endpoint);
  const alone = reader === undefined ? '' : ` ${reader.id} shows one of them whole, in parts if need be.`;
  const parts = shortened.length > 0 && reader !== undefined ? ` ${partsOf(reader)}` : '';
  return success({
    status: outcome.status,
    data: rows,
    next_cursor: next_cursor ?? null,
    ...(Object.keys(more).length === 0 ? {} : (marked(more, schemaOf(outcome), api.services) as Json)),
    ...(isNarrowed
      ? {
          truncated: {
            ...(left.length > 0 ? { members_left_out: left } : {}),
            ...(shortened.length > 0 ? { shortened } : {}),
            ...(count < all ? { rows_in_this_answer: rows.length } : {}),
            next_step: `Name the members you need in fields, or read on with cursor.${alone}${parts}`,
          },
        }
      : {}),
    request_id: outcome.requestId,
  });
}

function omit(row: unknown, name: string): unknown {
  if (row === null || typeof row !== 'object') return row;
  const { [name]: _, ...rest } = row as Record<string, unknown>;
  return rest;
}

export function singleResult(
  api: ApiCaller,
  outcome: Outcome,
  fields: readonly string[] | undefined,
  extra: Json = {},
  options: FitOptions = {},
): CallToolResult {
  const whole = marked(pick(outcome.body, fields), schemaOf(outcome), api.services);
  const { value: data, truncated } = fitted(api, whole, outcome, options);
  return success({
    status: outcome.status,
    ...(data === null ? {} : { data }),
    ...extra,
    ...(truncated === undefined ? {} : { truncated }),
    request_id: outcome.requestId,
  });
}

export async function callRead(
  api: ApiCaller,
  endpoint: Endpoint,
  given: CallArguments,
): Promise<CallToolResult> {
  const refused = refusedFields(endpoint, given.fields);
  if (refused !== undefined) return refused;
  const reader = readerOf(api, endpoint);
  if (takes(endpoint, 'cursor') && partOf(given.cursor) !== undefined && reader !== undefined)
    return refusal({
      code: 'invalid_cursor',
      detail: `${endpoint.id} does not know this cursor: it is the text of left_out in one row.`,
      next_step: partsOf(reader),
    });
  // Of one resource, a part of a long list can be read.
  const part = takes(endpoint, 'cursor') ? undefined : partOf(given.cursor);
  const paged: Record<string, unknown> = {
    ...(takes(endpoint, 'limit') ? { limit: given.limit ?? DEFAULT_ROWS } : {}),
    ...(given.cursor === undefined || part !== undefined ? {} : { cursor: given.cursor }),
    // What happened last is what a model asks for.
    ...(takes(endpoint, 'newest_first') ? { newest_first: true } : {}),
  };
  const request: CallRequest = {
    ...(given.path === undefined ? {} : { path: given.path }),
    query: { ...paged, ...given.query },
    ...bodyOf(endpoint, given),
  };
  const outcome = await api.call(endpoint, request);
  if (outcome.isRefused) return refusedOutcome(outcome);
  if (rowsOf(outcome.body) !== undefined) return listResult(api, outcome, request, given.fields);
  const fields = part === undefined ? given.fields : [memberOf(part)];
  return singleResult(api, summarised(outcome, request), fields, {}, { part });
}

/** An empty body for a call that takes none is not an error of the model. */
const bodyOf = ({ body }: Endpoint, given: CallArguments): Pick<CallRequest, 'body'> =>
  given.body === undefined || (body === undefined && Object.keys(given.body).length === 0)
    ? {}
    : { body: unfolded(given.body) };

export function requestOf(endpoint: Endpoint, given: CallArguments): CallRequest {
  const { path, query, idempotency_key, if_match, approval_id, wait_seconds = 0 } = given;
  const quoted = if_match === undefined || /^(W\/)?"|^\*$/.test(if_match) ? if_match : `"${if_match}"`;
  return {
    ...(path === undefined ? {} : { path }),
    query: { ...query, ...(given.dry_run === true ? { dry_run: true } : {}) },
    ...bodyOf(endpoint, given),
    headers: {
      ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
      ...(quoted === undefined ? {} : { 'if-match': quoted }),
      ...(approval_id === undefined ? {} : { 'approval-id': approval_id }),
      ...(wait_seconds > 0 && isAsync(endpoint) ? { prefer: `wait=${wait_seconds}` } : {}),
    },
  };
}

function operationOf({ headers, body }: Outcome): Json {
  const id = headers['operation-location']?.split('/').at(-1);
  if (id === undefined) return {};
  const pending = (body as { operation?: { status?: unknown } | null } | null)?.operation;
  return { operation: { id, ...(pending?.status === undefined ? {} : { status: pending.status }) } };
}

function priceOf({ body }: Outcome): Json {
  const { price, cost, dry_run } = (body ?? {}) as Json;
  if (dry_run === true) return { price: cost };
  return price === undefined || price === null ? {} : { price };
}

export function changeResult(
  api: ApiCaller,
  outcome: Outcome,
  extra: Json = {},
  body: unknown = outcome.body,
): CallToolResult {
  if (outcome.isRefused) return refusedOutcome(outcome);
  const around = { ...operationOf(outcome), ...priceOf(outcome), ...extra };
  return singleResult(api, { ...outcome, body }, undefined, around);
}
