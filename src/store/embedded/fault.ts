/** A fault of the embedded database whose message is written for the operator: what is wrong, then what to do. */
export class EmbeddedFault extends Error {
  override readonly name: string = 'EmbeddedFault';
}

/** The data folder has a server already, and the message names it. */
export class ServerTaken extends EmbeddedFault {
  override readonly name = 'ServerTaken';
}

export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}

/** A folder was to be renamed to a name that another one has. */
export function isTaken(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '');
}
