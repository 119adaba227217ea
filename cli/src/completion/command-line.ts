/** The command that stands before the cursor. */
import type { CommandShape } from '../command.ts';
import type { OperationShape } from '../shapes/operation-shape.ts';

export interface CompletedCommand {
  readonly shape: CommandShape;
  readonly operation: OperationShape | undefined;
  /** How many words the command itself has. */
  readonly used: number;
  /** Longer commands begin with the same words. */
  readonly isGroup: boolean;
}

export const commandOf = (shape: OperationShape, used: number): CompletedCommand => ({
  shape,
  operation: shape,
  used,
  isGroup: false,
});
