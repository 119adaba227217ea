/**
 * A fault of the embedded database. Its message is written for the operator: what is wrong, then what to do.
 */
export class EmbeddedFault extends Error {
  override readonly name: string = 'EmbeddedFault';
}

/** The data folder already has a server; the message names its process. */
export class ServerTaken extends EmbeddedFault {
  override readonly name = 'ServerTaken';
}

export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}

/** True if a rename failed because a folder with the new name exists. */
export function isTaken(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '');
}
