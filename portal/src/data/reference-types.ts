/** The answers of the server from which the reference is made. */
import type { Part } from '../../../src/surfaces/iac/parts.ts';
import type { FoundOperationsAnswer } from '../../../src/surfaces/portal/answers.ts';
import type { IndexedFamily } from '../../../src/surfaces/portal/reference/index-of.ts';
import type { Frozen } from './types.ts';

export interface OperationIndex {
  readonly etag: string;
  readonly version: string;
  readonly families: readonly IndexedFamily[];
}

/** One operation in the index of the live document. */
export type IndexedOperation = IndexedFamily['resources'][number]['operations'][number];
/** Operations that the search of the server finds for words which no title contains. */
export type FoundOperations = Frozen<FoundOperationsAnswer>;
/** A module, a role or a scenario for infrastructure as code. */
export type IacPart = Part;

export interface IacList {
  readonly specification_sha256: string;
  readonly archive: string;
  readonly parts: readonly IacPart[];
  readonly files: readonly { readonly path: string; readonly size: number }[];
}
