/** Checks the calls of a batch before the first of them is made. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { Shape, Type } from '../../kernel/schema.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { type CallArguments, callOf } from './calls.ts';
import type { CallTool } from './describe.ts';
import { canAnswer, type Earlier, neededBy } from './earlier-answers.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { ABOUT_ONE_VALUE } from './own-sentences.ts';
import { type Json, refusal, success } from './results.ts';

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

/** The calls with their endpoints, or why they cannot be made in one batch. */
export function plan(
  api: ApiCaller,
  tool: CallTool,
  calls: readonly CallArguments[],
): Planned[] | CallToolResult {
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
    const endpoint = callOf(api.services.registry.endpoints, tool, given, true);
    if ('content' in endpoint) return at(i, endpoint);
    const needed = neededBy(given);
    if (needed.some(({ call }) => call >= i))
      return wrong(
        i,
        'unknown_answer',
        `Call ${i} uses an answer that is not there yet.`,
        'Use $0, $1 … of earlier calls only.',
      );
    const missing = needed.find(({ call, names }) => !canAnswer((planned[call] as Planned).endpoint, names));
    if (missing !== undefined)
      return wrong(
        i,
        'unknown_answer',
        `Call ${i} uses a member that the answer of call ${missing.call} does not have.`,
        `Use members of that answer; describe_operations ${planned[missing.call]?.endpoint.id} names them.`,
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
