/** The answers of the server from which the reference is made. */

/** One operation in the index of the live document. */
export interface IndexedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly permission: string;
  readonly access: string;
}

export interface OperationIndex {
  readonly etag: string;
  readonly version: string;
  readonly families: readonly {
    readonly name: string;
    readonly description: string;
    readonly resources: readonly {
      readonly name: string;
      readonly title: string;
      readonly purpose: string;
      readonly operations: readonly IndexedOperation[];
    }[];
  }[];
}

/** Operations that the search of the server finds for words which no title contains. */
export interface FoundOperations {
  readonly note: string | null;
  readonly operation_ids: readonly string[];
  readonly near_operation_ids: readonly string[];
}

/** A module, a role or a scenario for infrastructure as code. */
export interface IacPart {
  readonly tool: string;
  readonly kind: string;
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly path: string;
  readonly archive: string | null;
  readonly permissions: readonly string[];
}

export interface IacList {
  readonly specification_sha256: string;
  readonly archive: string;
  readonly parts: readonly IacPart[];
  readonly files: readonly { readonly path: string; readonly size: number }[];
}
