/** Checks the calls of a batch before the first of them is made. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { canonicalJson } from '../../kernel/audit/canonical-json.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { Shape, Type } from '../../kernel/schema.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { wrongTypeIn } from './batch-types.ts';
import { type CallArguments, callOf } from './calls.ts';
import type { CallTool } from './describe.ts';
import { answerAt, type Earlier, neededBy } from './earlier-answers.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { ABOUT_ONE_VALUE } from './own-sentences.ts';
import { type Json, refusal, success } from './results.ts';
import { unfolded } from './unfold.ts';

const Anything = Type.Optional(Type.Unsafe<object>({ type: 'object' }));
const Call = Shape({ operation: Type.String(), path: Anything, query: Anything, body: Anything });

export interface Planned {
  readonly endpoint: Endpoint;
  readonly given: CallArguments;
  readonly needed: readonly Earlier[];
  /** Whether it needs the answer of a change, so that it can be made only after that change. */
  readonly isLate: boolean;
}

export const jsonOf = ({ content }: CallToolResult): Json =>
  JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '{}') as Json;

/** A refusal of one call, with its number. */
export const at = (number: number, result: CallToolResult, more: Json = {}): CallToolResult => ({
  ...success({ ...jsonOf(result), call: number, ...more }),
  isError: true,
});

const wrong = (number: number, code: string, detail: string, next_step: string): CallToolResult =>
  at(number, refusal({ code, detail: `${detail} Nothing was done.`, next_step }));

const isSame = (a: CallArguments, b: CallArguments): boolean =>
  canonicalJson(unfolded(a)) === canonicalJson(unfolded(b));

/** The calls with their endpoints, or why they cannot be made in one batch. */
export function plan(
  api: ApiCaller,
  tool: CallTool,
  calls: readonly CallArguments[],
  hasKey = false,
): Planned[] | CallToolResult {
  const { endpoints } = api.services.registry;
  const planned: Planned[] = [];
  for (const [i, given] of calls.entries()) {
    const [fault] = faultsOf(Call, given);
    if (fault !== undefined)
      return wrong(
        i,
        'validation_failed',
        `calls/${i} is not valid.`,
        'Send operation, path, query and body.',
      );
    const endpoint = callOf(endpoints, tool, given, true);
    if ('content' in endpoint) return at(i, endpoint);
    const same = planned.findIndex((each) => isSame(each.given, given));
    if (hasKey && same >= 0 && endpoint.access !== 'read')
      return wrong(
        i,
        'validation_failed',
        `Calls ${same} and ${i} are the same, so that one idempotency_key would count them as one.`,
        'Make one of them in a call of its own, with another idempotency_key, or leave the key out.',
      );
    const needed = neededBy(given);
    if (needed.some(({ call }) => call >= i))
      return wrong(
        i,
        'unknown_answer',
        `Call ${i} uses an answer that is not there yet.`,
        'Use $0, $1 … of earlier calls only.',
      );
    const missing = needed.find(
      ({ call, names }) => answerAt((planned[call] as Planned).endpoint, names).length === 0,
    );
    if (missing !== undefined)
      return wrong(
        i,
        'unknown_answer',
        `Call ${i} uses a member that the answer of call ${missing.call} does not have.`,
        `Use members of that answer; describe_operations ${planned[missing.call]?.endpoint.id} names them.`,
      );
    const before = planned.map((each) => each.endpoint);
    const type = wrongTypeIn(endpoint, given, needed, before, endpoints);
    if (type !== undefined)
      return wrong(
        i,
        'wrong_type',
        `Call ${i} takes a ${type.wanted} at ${type.at.startsWith('/') ? 'body' : ''}${type.at}, but what it uses of the answer of call ${type.call} names a ${type.given}.`,
        `Use the answer of a call that makes or reads a ${type.wanted}, or its id.`,
      );
    const isLate = needed.some(
      ({ call }) => planned[call]?.isLate || planned[call]?.endpoint.access !== 'read',
    );
    if (isLate && endpoint.access === 'destructive')
      return wrong(
        i,
        'not_in_one_batch',
        `${endpoint.id} destroys something that only an earlier change names, so it cannot be rehearsed.`,
        'Make this call by itself, after the others.',
      );
    planned.push({ endpoint, given, needed, isLate });
  }
  return planned;
}

/**
 * A call that needs the answer of a change is tried with an example of that answer. Returns what will be refused with the
 * real answer, too; undefined if nothing is certain, such as that there is no resource with the id of the example.
 */
export function certainRefusal({ body }: Outcome, { needed }: Planned): Json | undefined {
  const problem = body as Json & { readonly code: string; readonly errors?: readonly FieldError[] };
  if (['permission_denied', 'malformed_request'].includes(problem.code)) return problem;
  if (problem.code !== 'validation_failed') return undefined;
  const isExample = ({ pointer }: FieldError): boolean =>
    needed.some(({ at: place }) => `${pointer}/`.startsWith(`${place}/`));
  const certain = (problem.errors ?? []).filter(
    (error) => ABOUT_ONE_VALUE.includes(error.code) && !isExample(error),
  );
  return certain.length === 0 ? undefined : { ...problem, errors: certain };
}
