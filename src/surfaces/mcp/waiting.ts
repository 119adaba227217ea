/** Waits for operations: for work, and for the decision of a person, which is an operation too. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Endpoint } from '../../kernel/record.ts';
import { MARK, marked } from './customer-text.ts';
import { shorten } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { type Json, problemAnswer, success } from './results.ts';

export interface WaitArguments {
  readonly operation_ids: readonly string[];
  readonly timeout_seconds?: number;
}

const DEFAULT_SECONDS = 30;
const APPROVAL = 'approval.request';
const OPERATION_ID = /^op_[0-9a-z]{26}$/;

interface Operation extends Json {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly done: boolean;
  readonly progress_percent: number | null;
  readonly step: string;
  readonly waiting_for: string | null;
  readonly error: Json | null;
  readonly result: unknown;
  readonly resource: unknown;
}

function nextStepOf({ id, type, status, done }: Operation): string | undefined {
  if (!done)
    return type === APPROVAL
      ? 'Nobody has decided yet. Wait again, or tell the user that a person must decide.'
      : 'Not finished. Wait again.';
  if (type === APPROVAL)
    return status === 'succeeded'
      ? `Approved. Repeat the call unchanged with approval_id ${id}, within 15 minutes.`
      : 'Not approved. Do not make the call, and do not ask again: tell the user.';
  return status === 'failed' ? 'It failed. Read error; nothing goes on by itself.' : undefined;
}

/** Waiting does not help: there is no such operation, or the key may not see it. */
const isUnknown = (problem: unknown): boolean => (problem as Json)['code'] === 'not_found';

function present({ services }: ApiCaller, { isRefused, body, endpoint, isOurs }: Outcome, id: string): Json {
  if (isRefused) {
    const answer = problemAnswer(body as Json, isOurs);
    return {
      ...(OPERATION_ID.test(id) ? { id } : {}),
      ...answer,
      // What is no id may be a text that the model took from a customer.
      ...(OPERATION_ID.test(id) ? {} : { [MARK]: { ...(answer[MARK] as Json | undefined), id } }),
      ...(isUnknown(body)
        ? {
            status: 'unknown',
            next_step: 'Check the id with call_read listOperations.',
          }
        : {}),
    };
  }
  const operation = body as Operation;
  const { type, status, progress_percent, step, waiting_for, error, result = null, resource } = operation;
  const next = nextStepOf(operation);
  const shown = { id, type, status, progress_percent, step, waiting_for, resource, error, result };
  const kept = Object.entries(shown).filter(([, value]) => value !== null && value !== '');
  return {
    ...(marked(Object.fromEntries(kept), endpoint.answers[200], services) as Json),
    ...(next === undefined ? {} : { next_step: next }),
  };
}

export async function waitOperations(
  api: ApiCaller,
  endpoint: Endpoint,
  { operation_ids, timeout_seconds = DEFAULT_SECONDS }: WaitArguments,
): Promise<CallToolResult> {
  const ids = [...new Set(operation_ids)];
  const headers: Record<string, string> = timeout_seconds > 0 ? { prefer: `wait=${timeout_seconds}` } : {};
  const outcomes = await Promise.all(ids.map((id) => api.call(endpoint, { path: { id }, headers })));
  const { value } = shorten(outcomes.map((outcome, i) => present(api, outcome, ids[i] ?? '')));
  // Of an operation that could not be read now, nobody knows whether it is done, and one that is not there never will be.
  const done = outcomes.every(({ isRefused, body }) => !isRefused && (body as Operation).done);
  const unknown = outcomes.filter(({ isRefused, body }) => isRefused && isUnknown(body)).length;
  const rest =
    unknown === 0
      ? {}
      : {
          unknown,
          next_step: 'Do not wait for those with the status unknown: there are no such operations.',
        };
  return success({ all_done: done, ...rest, operations: value });
}
