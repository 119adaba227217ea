/** A command that is not made from the document of the server. */
import type { CommandShape, Given } from './command.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

export interface Invocation {
  readonly io: Io;
  readonly args: readonly string[];
  readonly given: Given;
}

export interface BuiltInCommand extends CommandShape {
  readonly isHidden?: boolean;
  /** Set if the flags come from the document: the command then reads its command line itself. */
  readonly runLine?: (io: Io, argv: readonly string[]) => Promise<ExitCode>;
  readonly run?: (invocation: Invocation) => Promise<ExitCode>;
}
