/** The exit codes, so that a script can decide without reading a message. docs/cli.md has the same table. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  keyRefused: 3,
  notAllowed: 4,
  notFound: 5,
  conflict: 6,
  invalid: 7,
  unavailable: 8,
  noConnection: 9,
  operationFailed: 10,
  timedOut: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for a problem with this HTTP status. */
export function codeForStatus(status: number): ExitCode {
  if (status === 401) return exitCodes.keyRefused;
  if (status === 403) return exitCodes.notAllowed;
  if (status === 404 || status === 410) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 429 || status === 503) return exitCodes.unavailable;
  return status < 500 ? exitCodes.invalid : exitCodes.failed;
}
