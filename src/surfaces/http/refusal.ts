/** Turns an error into the problem that is sent. Of an unknown error, the client sees only the request id. */
import { type Exchange, isDryRun } from '../../kernel/exchange.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { auditRefusal } from '../../pipeline/audit.ts';
import {
  MISSING_MARKED,
  prefersAnswers,
  prefersMark,
  prefersText,
  REFUSALS_ANSWERED,
} from '../../pipeline/prefer.ts';
import { CommitUnanswered } from '../../store/transaction.ts';
import { isUnavailable } from '../../store/unavailable.ts';
import { problemLines, problemText } from './problem-text.ts';

const RETRY_SECONDS = 2;

/** The change may have been made. A repeated call with the same key returns its answer or makes it, never twice. */
function unconfirmed({ incoming }: Exchange, cause: unknown): Problem {
  return new Problem('engine_unavailable', {
    detail: 'The database did not confirm this change. It may have been made or not.',
    nextStep:
      incoming.headers['idempotency-key'] === undefined
        ? 'Read the resource to see whether the change was made, and repeat the call only if it was not; with an Idempotency-Key you can always repeat it.'
        : 'Repeat the call with the same Idempotency-Key after the seconds in Retry-After; the change is not made twice.',
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  });
}

function asProblem(exchange: Exchange, error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof CommitUnanswered) return unconfirmed(exchange, error);
  if (isUnavailable(error))
    return new Problem('engine_unavailable', { retryAfterSeconds: RETRY_SECONDS, cause: error });
  return new Problem('internal_error', { cause: error });
}

export interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The length of the body in bytes, if it is known without counting. */
  readonly length: number | undefined;
}

/** What a call is answered with if it prefers a mark to a 404. A list, so that no member of a resource is mistaken for it. */
const MISSING = JSON.stringify({ gone: ['not_found'] });

/** What the call would be refused with; not that nobody knows who calls, that they call too often, or that we failed. */
const isForeseen = (exchange: Exchange, { status }: Problem): boolean =>
  isDryRun(exchange) && exchange.authenticated && status < 500 && status !== 429;

export function refuse(exchange: Exchange, services: Services, error: unknown): Refusal {
  const problem = asProblem(exchange, error);
  if (problem.status >= 500) {
    const operation = exchange.endpoint?.id ?? 'none';
    const { requestId: request_id } = exchange;
    services.log.error({ request_id, operation, detail: problem.message, err: problem.cause }, problem.code);
  }
  services.metrics.requests.refused(problem.code);
  auditRefusal(exchange, services, problem);
  const headers = Object.assign(exchange.headers, problem.headers);
  if (problem.retryAfterSeconds !== undefined) headers['retry-after'] = String(problem.retryAfterSeconds);
  headers['cache-control'] = 'no-store';
  const prefer = exchange.incoming.headers['prefer'] as string | undefined;
  if (problem.code === 'not_found' && exchange.endpoint !== undefined && prefersMark(prefer)) {
    headers['content-type'] = 'application/json';
    headers['preference-applied'] = MISSING_MARKED;
    return { status: 200, headers, body: MISSING, length: MISSING.length };
  }
  const isAnswer = prefersAnswers(prefer) && isForeseen(exchange, problem);
  if (isAnswer) headers['preference-applied'] = REFUSALS_ANSWERED;
  const status = isAnswer ? 200 : problem.status;
  if (prefersText(prefer)) {
    headers['content-type'] = 'text/plain; charset=utf-8';
    return {
      status,
      headers,
      body: problemLines(problem, exchange.requestId),
      length: undefined,
    };
  }
  headers['content-type'] = 'application/problem+json';
  const { text, isAscii } = problemText(problem, exchange.requestId, services.docsUrl);
  return { status, headers, body: text, length: isAscii ? text.length : undefined };
}
