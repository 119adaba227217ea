import type { Given } from '../command.ts';
import type { Document } from '../document/document.ts';
import type { OperationShape } from '../shapes/operation-shape.ts';

/** A command as it was typed. */
export interface Typed {
  /** All words and flags after `hostplane`. */
  readonly line: readonly string[];
  readonly args: readonly string[];
  readonly given: Given;
}

/** A request whose names are resolved to ids. */
export interface Prepared extends Typed {
  readonly shape: OperationShape;
  readonly document: Document;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
