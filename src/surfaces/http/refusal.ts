/** How a refusal leaves: one shape for every code, and nothing of an unknown error but the request id. */

import { maskKeys } from '../../kernel/access/key-format.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import { auditRefusal } from '../../kernel/pipeline/audit.ts';
import { type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import { Problem, problemBody } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { isUnavailable } from '../../store/unavailable.ts';

const RETRY_SECONDS = 2;

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isUnavailable(error))
    return new Problem('engine_unavailable', { retryAfterSeconds: RETRY_SECONDS, cause: error });
  return new Problem('internal_error', { cause: error });
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function refuse(exchange: Exchange, services: Services, error: unknown): Refusal {
  const problem = asProblem(error);
  if (problem.status >= 500) {
    const operation = exchange.endpoint?.id ?? 'none';
    services.log.error({ request_id: exchange.requestId, operation, err: problem.cause }, problem.code);
  }
  services.metrics.refusals.inc({ code: problem.code });
  auditRefusal(exchange, services, problem);
  const headers = Object.assign(exchange.headers, problem.headers);
  if (problem.retryAfterSeconds !== undefined) headers['retry-after'] = String(problem.retryAfterSeconds);
  headers['cache-control'] = 'no-store';
  headers['content-type'] = 'application/problem+json';
  return { status: problem.status, headers, body: textOf(problem, exchange.requestId, services) };
}

const REQUEST_ID = 'req_00000000000000000000000000';
const plainTexts = new WeakMap<Services, Map<ProblemCode, string[]>>();

/** Most refusals say nothing of the request but its id; then the rest of the text is made once for each code. */
function textOf(problem: Problem, requestId: string, services: Services): string {
  const write = (id: string): string => maskKeys(JSON.stringify(problemBody(problem, id, services.docsUrl)));
  if (!isPlain(problem)) return write(requestId);
  const known = plainTexts.get(services) ?? new Map<ProblemCode, string[]>();
  plainTexts.set(services, known);
  const pieces = known.get(problem.code) ?? write(REQUEST_ID).split(REQUEST_ID);
  known.set(problem.code, pieces);
  return pieces.join(requestId);
}

function isPlain({ code, message, extra, errors, retryAfterSeconds }: Problem): boolean {
  return (
    message === problems[code].when &&
    errors.length === 0 &&
    retryAfterSeconds === undefined &&
    Object.keys(extra).length === 0
  );
}
