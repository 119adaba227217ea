/**
 * Distinguishes a database that is temporarily unavailable (503, retry later) from a bug in Hostplane (500).
 */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|connection error and is not queryable|client was closed/i;

/** An error that is known to come from the state of the database, whatever its code and message are. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
  readonly code: unknown;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

function isTransient(sqlState: string): boolean {
  // 08 connection, 53 resources, 57P admin shutdown / crash / starting up, 58 its disk fails, 40 serialization and
  // deadlock, 25006 read-only standby, 42501 rights taken from our role, 57014 statement timeout.
  // 42P01: no schema of the search path has our tables, or our role may no longer use the schema.
  return /^(08|53|57P|58|40)/.test(sqlState) || ['25006', '42501', '42P01', '57014'].includes(sqlState);
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof Unavailable) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (NETWORK.has(code) || (code.length === 5 && isTransient(code))))
    return true;
  return MESSAGES.test(error.message);
}
