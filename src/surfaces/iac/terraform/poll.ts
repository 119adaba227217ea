/** How a module waits for the work that a call has started, and fails with the words of the operation if that fails. */
import { MISSING_MARKED } from '../../../pipeline/prefer.ts';
import type { Call } from '../calls.ts';
import { assign, braces } from './hcl.ts';

export const WAIT = 'local.wait';
const PREFERENCES = 'wait=60, errors=text';

/** Headers of a call that takes something away, and has nothing to do if others have deleted what it is called for. */
export const UNLESS_GONE = `{ Prefer = "${PREFERENCES}, ${MISSING_MARKED}" }`;

/**
 * The provider takes the address that it looks at from the answer, and ends with an error if there is none. A call that
 * had nothing to start names no operation: then the provider looks at this address, which always answers `succeeded`.
 */
export const NOTHING_STARTED = '/iac/terraform/nothing-started';

/** An answer is an operation, or a resource that shows its operation. */
const STARTED = `body.[operation.href,href,!\\"${NOTHING_STARTED}\\"]|0`;

const mayStart = ({ startsOperation, mayStartOperation }: Call): boolean =>
  startsOperation || mayStartOperation;

/** `mayBeGone`: the answer may be the mark of something that is gone, for which nothing is started. */
interface Followed {
  readonly call: Call;
  readonly mayBeGone?: boolean;
}

const mayStartNothing = ({ call, mayBeGone = false }: Followed): boolean =>
  call.mayStartOperation || (mayBeGone && call.startsOperation);

/** The argument that follows the operation of a call, such as `poll_create`. */
export function pollOf(argument: string, followed: Followed): string[] {
  if (!mayStart(followed.call)) return [];
  return [assign(argument, mayStartNothing(followed) ? 'local.followed' : 'local.succeeded')];
}

/** The locals that the arguments of these calls need. */
export function waitLocals(calls: readonly Followed[]): string[] {
  const locals: string[] = [];
  if (calls.some(({ call }) => call.waits))
    locals.push(
      '# The server holds the answer until the work is done, for up to a minute, and writes errors for people.',
      `wait = { Prefer = "${PREFERENCES}" }\n`,
    );
  if (calls.some(({ call }) => mayStart(call)))
    locals.push(
      `succeeded = ${braces([
        'url_locator = "header.Operation-Location"',
        'status_locator = "header.Operation-Status"',
        'status = { success = "succeeded", pending = ["queued", "running", "cancelling"] }',
        'default_delay_sec = 0',
        // The provider prints the answer if the operation has failed.
        `header = merge(${WAIT}, { Accept = "text/plain" })`,
      ])}\n`,
    );
  if (calls.some(mayStartNothing))
    locals.push(
      '# The same for a call that may have nothing to start.',
      `followed = merge(local.succeeded, { url_locator = "${STARTED}" })\n`,
    );
  return locals;
}
