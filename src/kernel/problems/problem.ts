/** An error answer (RFC 9457). Its texts come from the catalogue; `cause` is only logged. */
import { type FieldCode, type ProblemCode, problems } from './catalogue.ts';

export interface FieldError {
  /** JSON Pointer into the body, or `query/<name>`, `header/<name>`, `path/<name>`. */
  readonly pointer: string;
  readonly code: FieldCode;
  readonly detail: string;
  /** The part of the text that the error is about, in UTF-16 units. */
  readonly offset?: number;
  readonly length?: number;
}

export interface ProblemDetails {
  readonly detail?: string;
  /** Replaces the catalogue's next step where that does not fit. One sentence. */
  readonly nextStep?: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
  /** The members the catalogue lists as `extra` for this code. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Members of `extra` that take time to find out. Called after the transaction of the call was rolled back. */
  readonly extraLater?: () => Promise<Readonly<Record<string, unknown>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** The call was accepted and has its audit entry: the problem says how its operation ended. */
  readonly isLate?: true;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly nextStep: string;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly isLate: boolean;
  readonly #details: ProblemDetails;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    // No stack trace: a refusal is not a fault, and collecting one for each would help an attacker to overload us.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(details.detail ?? problems[code].when, { cause: details.cause });
    Error.stackTraceLimit = limit;
    this.name = 'Problem';
    this.code = code;
    this.status = problems[code].status;
    this.nextStep = details.nextStep ?? problems[code].next_step;
    this.errors = details.errors ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.extra = details.extra ?? {};
    this.headers = details.headers ?? {};
    this.isLate = details.isLate ?? false;
    this.#details = details;
  }

  withErrors(errors: readonly FieldError[]): Problem {
    return new Problem(this.code, { ...this.#details, errors });
  }

  /** The problem with the members of `extraLater`, or as it is if they cannot be found out. */
  async complete(): Promise<Problem> {
    const { extraLater, ...details } = this.#details;
    if (extraLater === undefined) return this;
    const more = await extraLater().catch((error: unknown) => {
      if (error instanceof Problem) return {};
      throw error;
    });
    return new Problem(this.code, { ...details, extra: { ...details.extra, ...more } });
  }
}

/** The result of a check: the problem to refuse with, or undefined to continue. */
export type Refused = Problem | undefined;

/** Limits the answer, so that it is never many times as long as the request. Nobody reads more errors. */
export const MAX_FIELD_ERRORS = 100;

/** The detail names so many fields; `errors` has all of them. */
const MOST_NAMED = 5;
const LONGEST_POINTER = 80;

export function invalid(errors: readonly FieldError[]): Problem {
  const fields = errors.length === 1 ? 'One field is' : `${errors.length} fields are`;
  const named = errors
    .slice(0, MOST_NAMED)
    .map(({ pointer }) => pointer.slice(0, LONGEST_POINTER) || 'the body');
  const more = errors.length > MOST_NAMED ? ', …' : '';
  return new Problem('validation_failed', {
    detail: `${fields} not valid: ${named.join(', ')}${more}.`,
    errors: errors.slice(0, MAX_FIELD_ERRORS),
  });
}

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly next_step: string;
  readonly retryable: boolean;
  readonly retry_after_seconds?: number;
  readonly errors: readonly FieldError[];
  readonly [extra: string]: unknown;
}

export function problemBody(problem: Problem, requestId: string, docsUrl: string): ProblemBody {
  const definition = problems[problem.code];
  return {
    type: `${docsUrl}/errors/${problem.code}`,
    title: definition.title,
    status: definition.status,
    detail: problem.message,
    instance: `/requests/${requestId}`,
    code: problem.code,
    request_id: requestId,
    ...problem.extra,
    next_step: problem.nextStep,
    retryable: definition.retryable ?? false,
    ...(problem.retryAfterSeconds === undefined ? {} : { retry_after_seconds: problem.retryAfterSeconds }),
    errors: problem.errors,
  };
}
