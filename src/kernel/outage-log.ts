/**
 * Keeps the log readable while the database is unavailable: every call and every worker then fails for the same
 * reason. The first failure is logged at once, further ones once a second with the number of lines left out, none of
 * them with a stack.
 */
import { isUnavailable, Unavailable } from '../store/unavailable.ts';

const EVERY_MS = 1_000;

type Write = (line: Record<string, unknown>, message: string) => void;

/**
 * An engine that keeps its records in the database fails when the database does. But a network error behind an error
 * of an engine is one of the engine's own server.
 */
function findOutage(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  if (isUnavailable(error)) return error;
  const { cause } = error;
  const isOfDatabase = cause instanceof Unavailable || (cause instanceof Error && 'severity' in cause);
  return isOfDatabase && isUnavailable(cause) ? cause : null;
}

export class OutageLog {
  #leftOut = 0;
  #last: { readonly reason: Record<string, unknown>; readonly write: Write } | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** Returns false if the line is not about an outage and has to be logged as it is. */
  take(line: unknown, message: string | undefined, write: Write): boolean {
    if (line === null || typeof line !== 'object' || !('err' in line)) return false;
    const { err, ...rest } = line as Record<string, unknown>;
    const outage = findOutage(err);
    if (outage === null) return false;
    const reason = { reason: outage.message, code: (outage as { code?: unknown }).code };
    if (this.#timer === undefined) {
      write({ ...rest, ...reason, during: message }, 'database unavailable');
      this.#wait();
    } else {
      this.#leftOut++;
      this.#last = { reason, write };
    }
    return true;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#last === null) return;
      const { reason, write } = this.#last;
      write({ ...reason, left_out: this.#leftOut }, 'database unavailable');
      this.#leftOut = 0;
      this.#last = null;
      this.#wait();
    }, EVERY_MS);
    this.#timer.unref();
  }
}
