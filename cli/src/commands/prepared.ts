import type { Given } from '../command.ts';
import type { Document } from '../document/document.ts';
import type { OperationShape } from '../shapes/operation-shape.ts';

/** A request whose names are resolved to ids. */
export interface Prepared {
  readonly shape: OperationShape;
  readonly document: Document;
  readonly given: Given;
  /** The arguments as they were typed. */
  readonly args: readonly string[];
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
