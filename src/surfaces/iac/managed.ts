/** A resource that can be created (or declared), read and deleted, as infrastructure as code sees it. */
import type { ActionChange } from './actions.ts';
import type { Call } from './calls.ts';
import type { Input } from './inputs.ts';
import type { Output } from './outputs.ts';

export interface Read {
  readonly id: string;
  readonly path: string;
  readonly permission: string;
  /** Where in the answer the list is that has the resource; absent if the answer is the resource. */
  readonly in?: string;
  /** The query parameter that narrows the list to the resource. */
  readonly filter?: string;
  /** The most items that one answer of the list has, if the query asks for them with `limit`. */
  readonly pageSize?: number;
}

export interface ManagedResource {
  readonly name: string;
  /** The name for people, such as `Private networks`. */
  readonly title: string;
  readonly description: string;
  readonly family: { readonly slug: string; readonly name: string };
  /** The caller chooses its name, and PUT creates or replaces it. */
  readonly isDeclared: boolean;
  /** The member whose value names it in paths. */
  readonly key: string;
  /** The path parameter for `key`. */
  readonly parameter: string;
  /** The resource that it is a part of: its name, its path parameter, and the input that takes its id. */
  readonly parent?: { readonly name: string; readonly parameter: string; readonly input: string };
  readonly create: Call;
  /** The member of the answer of the creation that is its key, if that answer shows its parent. */
  readonly createdAs?: string;
  readonly update?: Call;
  readonly delete: Call;
  readonly read: Read;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  /** By input: the action that changes it in place, if the update does not take it. */
  readonly actions: Readonly<Record<string, ActionChange>>;
  /** What deleting it means, if the document calls that destructive. */
  readonly loss?: string;
  /** The least that a key needs to create, change, read and delete it. */
  readonly permissions: readonly string[];
  /** A body of a creation and one of an update, as the document shows them. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly updateExample: Readonly<Record<string, unknown>>;
}
