/** Turns an error into the problem that is sent. Of an unknown error, the client sees only the request id. */
import type { Exchange } from '../../kernel/exchange.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { auditRefusal } from '../../pipeline/audit.ts';
import { isUnavailable } from '../../store/unavailable.ts';
import { problemText } from './problem-text.ts';

const RETRY_SECONDS = 2;

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
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

export function refuse(exchange: Exchange, services: Services, error: unknown): Refusal {
  const problem = asProblem(error);
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
  headers['content-type'] = 'application/problem+json';
  const { text, isAscii } = problemText(problem, exchange.requestId, services.docsUrl);
  return { status: problem.status, headers, body: text, length: isAscii ? text.length : undefined };
}
