/** The results of tools. A refusal is a result too: a code, what happened, and what to do next. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import { Problem, problemBody } from '../../kernel/problems/problem.ts';
import { markedError, markedQuotes, withoutControls } from './customer-text.ts';
import { shorten } from './fit.ts';
import type { Outcome } from './inner-call.ts';
import { type IsOurs, withoutNames } from './own-sentences.ts';
import { said } from './said.ts';
import { inToolWords, problemInToolWords } from './tool-words.ts';

export type Json = Readonly<Record<string, unknown>>;

export const success = (value: Json): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
});

export interface Refusal extends Json {
  readonly code: string;
  readonly detail: string;
  readonly next_step: string;
}

export const refusal = (value: Refusal): CallToolResult => ({ ...success(value), isError: true });

/** Where a model should do something else than a program, or can be told more. */
const nextSteps: Readonly<Record<string, string>> = {
  approval_required:
    'Give the user the link approve_url: a person must approve operation_id there. Wait with wait_operations; if it succeeded, repeat this call unchanged with approval_id set to it. If it failed, the person refused: stop.',
  approval_mismatch: 'Repeat the approved call exactly, or leave out approval_id to ask for a new approval.',
  etag_mismatch:
    'Read the resource again, check that your change still makes sense, and send its new etag as if_match.',
  rate_limited: 'Wait retry_after_seconds, then repeat the call; ask for less in each call.',
  permission_denied:
    'Do not try again. Ask the user for a key with required_permission, or do without this call.',
  budget_exceeded:
    'Nothing was changed. Tell the user which budget is reached; only a person should raise it.',
  operation_in_progress: 'Wait for operation_id with wait_operations, then repeat the call.',
};

const nextCalls: Readonly<Record<string, (problem: Json) => Json | undefined>> = {
  approval_required: waitFor,
  operation_in_progress: waitFor,
};

function waitFor({ operation_id: id }: Json): Json | undefined {
  if (typeof id !== 'string') return undefined;
  return { tool: 'wait_operations', arguments: { operation_ids: [id], timeout_seconds: 60 } };
}

/** Members of a problem that tell a model nothing, and those that are written below. */
const DROPPED = new Set(['type', 'title', 'instance', 'retryable', 'approve_url', 'next_step']);

/** A problem quotes what was sent, which can be long. */
const LONGEST_TEXT = 600;

const cleanDeep = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? withoutControls(member).slice(0, LONGEST_TEXT) : member,
  );

const FIELDS = /^(?:One field is|\d+ fields are) not valid: /;

/** The detail, if it is the sentence of the catalogue, names only fields, or is made of texts in our code. */
function ownDetail(code: string, detail: string, isOurs: IsOurs | undefined): string | undefined {
  const { when } = problems[code as ProblemCode] ?? {};
  if (when !== undefined && [when, inToolWords(when, [])].includes(detail)) return detail;
  if (isOurs === undefined) return undefined;
  return FIELDS.test(detail) ? withoutNames(detail, isOurs) : said(detail, isOurs);
}

/** The members of a problem that a model should see, with what they quote as customer text. */
export function problemAnswer(problem: Json, isOurs?: IsOurs): Refusal {
  const kept = Object.entries(problem).filter(
    ([name, value]) => !DROPPED.has(name) && !(Array.isArray(value) && value.length === 0),
  );
  const code = String(problem['code']);
  const next = nextCalls[code]?.(problem);
  const { errors, ...others } = cleanDeep(Object.fromEntries(kept)) as Json;
  const own = ownDetail(code, String(problem['detail']), isOurs);
  const isWhole = own !== undefined && !own.includes('…');
  const shown = {
    ...(markedQuotes({ ...others, ...(isWhole ? { detail: '' } : {}) }) as Json),
    ...(Array.isArray(errors) ? { errors: errors.map((error) => markedError(error, isOurs)) } : {}),
  };
  return {
    ...shorten(shown).value,
    code,
    // The detail of this case may quote customers, and then it stands in `customer_text`; the title is always ours.
    detail: own ?? `${String(problem['title'])}.`,
    next_step: nextSteps[code] ?? String(problem['next_step']),
    ...(typeof problem['approve_url'] === 'string' ? { approve_url: problem['approve_url'] } : {}),
    ...(next === undefined ? {} : { next_call: next }),
  };
}

export const refusedOutcome = ({ body, isOurs }: Outcome): CallToolResult =>
  refusal(problemAnswer(body as Json, isOurs));

export const refusedProblem = (problem: Problem, requestId: string, isOurs?: IsOurs): CallToolResult =>
  refusal(problemAnswer(problemInToolWords(problemBody(problem, requestId, '') as Json, []), isOurs));

/** In the middle of a batch, a problem is the result of one call: what was made before it must be told. */
export const refusing = <T>(
  { outer }: { readonly outer: { readonly requestId: string } },
  work: () => Promise<T>,
): Promise<T | CallToolResult> =>
  work().catch((error: unknown) => {
    if (error instanceof Problem) return refusedProblem(error, outer.requestId);
    throw error;
  });

export const OPERATION_NAME = /^[a-z][A-Za-z0-9]{0,63}$/;

/** `names`: only what an operation could be called, or its place. A model may have taken others from a text of a customer. */
export function unknownNames(names: readonly string[], near: readonly string[]): Refusal {
  const meant = near.length === 0 ? '' : `Did you mean ${[...new Set(near)].join(', ')}? `;
  return {
    code: 'unknown_operation',
    detail: names.length === 0 ? 'There is no such operation.' : `There is no operation ${names.join(', ')}.`,
    next_step: `${meant}Find the operation with search_operations.`,
  };
}

export const unknownOperation = (asked: readonly string[], near: readonly string[]): CallToolResult =>
  refusal(
    unknownNames(
      asked.filter((name) => OPERATION_NAME.test(name)),
      near,
    ),
  );
