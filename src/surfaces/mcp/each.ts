/** Reads the same about each resource of a list, in one call of a tool: which machines are idle, which have backups. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Endpoint } from '../../kernel/record.ts';
import { pathReference } from '../openapi/path-references.ts';
import { parametersIn } from '../openapi/resource-mark.ts';
import { type CallArguments, schemaOf, takes } from './calls.ts';
import { marked } from './customer-text.ts';
import { pick, refusedFields } from './fields.ts';
import { countThatFits } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { type Json, problemAnswer, refusal, refusedOutcome, success } from './results.ts';
import { summarised } from './series.ts';

/** Stands for each resource of its list, as the last parameter of a path. */
export const EACH = '*';

/** Every row costs one call. */
const MOST = 50;

export const wantsEach = ({ path }: Endpoint, given: CallArguments): boolean =>
  given.path?.[parametersIn(path).at(-1) ?? ''] === EACH;

export async function callEach(
  api: ApiCaller,
  endpoint: Endpoint,
  given: CallArguments,
): Promise<CallToolResult> {
  const { registry } = api.services;
  const name = parametersIn(endpoint.path).at(-1) ?? '';
  const reference = pathReference(endpoint, name, registry.endpoints);
  const list = registry.endpoints.find(({ id }) => id === reference?.list);
  if (reference === undefined || list === undefined || reference.in !== undefined)
    return refusal({
      code: 'no_list',
      detail: `Nothing lists what path/${name} of ${endpoint.id} names. Nothing was done.`,
      next_step: 'Make the call for one id.',
    });
  const wrong = refusedFields(endpoint, given.fields);
  if (wrong !== undefined) return wrong;
  const outer = parametersIn(list.path).map((each) => [each, given.path?.[each]]);
  const listed = await api.call(list, {
    path: Object.fromEntries(outer),
    query: {
      ...(takes(list, 'limit') ? { limit: Math.min(given.limit ?? MOST, MOST) } : {}),
      ...(given.cursor === undefined ? {} : { cursor: given.cursor }),
    },
  });
  if (listed.isRefused) return refusedOutcome(listed);
  const { data, next_cursor = null } = listed.body as { data: readonly Json[]; next_cursor?: string | null };
  const request = { ...(given.query === undefined ? {} : { query: given.query }) };
  const read = (row: Json): Promise<Outcome> =>
    api.call(endpoint, { ...request, path: { ...given.path, [name]: row[reference.value] } });
  const outcomes = await Promise.all(data.map(read));
  const rows = outcomes.map((outcome, i): Json => {
    const { id, name: own, status } = data[i] ?? {};
    const known = Object.entries({ id, name: own, status }).filter(([, value]) => value !== undefined);
    return {
      of: marked(Object.fromEntries(known), undefined, api.services),
      ...(outcome.isRefused
        ? problemAnswer(outcome.body as Json, outcome.isOurs)
        : {
            data: marked(
              pick(summarised(outcome, request).body, given.fields),
              schemaOf(outcome),
              api.services,
            ),
          }),
    };
  });
  const count = rows.length === 0 ? 0 : countThatFits(rows);
  return success({
    status: 200,
    data: rows.slice(0, count),
    next_cursor: count < rows.length ? null : next_cursor,
    ...(count < rows.length
      ? {
          truncated: {
            rows_in_this_answer: count,
            next_step: `Name the members you need in fields, narrow query, or set limit to ${count} and read on with cursor.`,
          },
        }
      : {}),
  });
}
