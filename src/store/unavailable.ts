/**
 * Distinguishes a database that is temporarily unavailable (503, retry later) from a bug in Hostplane (500).
 */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|connection error and is not queryable|client was closed/i;

function isTransient(sqlState: string): boolean {
  // 08 connection, 53 resources, 57P admin shutdown / crash / starting up, 40 serialization and deadlock,
  // 25006 read-only standby, 57014 statement timeout
  return /^(08|53|57P|40)/.test(sqlState) || sqlState === '25006' || sqlState === '57014';
}

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (NETWORK.has(code) || (code.length === 5 && isTransient(code))))
    return true;
  return MESSAGES.test(error.message);
}
