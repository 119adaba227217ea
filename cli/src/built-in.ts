/** A command that is not made from the document of the server. */
import type { CommandShape, Given } from './command.ts';
import type { CompletedCommand } from './completion/command-line.ts';
import type { Document } from './document/document.ts';
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
  /** Set if a word of the document has to follow. */
  readonly isBeginning?: boolean;
  /** The command of the document that the words stand for, for completion. */
  readonly completeAs?: (document: Document, words: readonly string[]) => CompletedCommand | undefined;
  readonly run?: (invocation: Invocation) => Promise<ExitCode>;
}
