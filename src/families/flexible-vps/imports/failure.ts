/** The codes that tell a client why an import failed. */
export const importFailures = [
  'fetch_failed',
  'http_status',
  'too_large',
  'checksum_mismatch',
  'blocked_address',
  'timeout',
  'too_slow',
  'unsupported_format',
  'not_an_iso',
] as const;
export type ImportFailure = (typeof importFailures)[number];

export class ImportFailed extends Error {
  readonly code: ImportFailure;

  constructor(code: ImportFailure, detail: string) {
    super(detail);
    this.name = 'ImportFailed';
    this.code = code;
  }
}
