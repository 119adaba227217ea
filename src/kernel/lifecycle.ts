/**
 * The states of a resource and what leads from one to the other: enforced by its endpoints, published with its status
 * (`x-states`), and walked by a law. One table for each resource, and nowhere else a list of states.
 */
import type { StoredOperation } from './operations/store.ts';
import type { ProblemCode } from './problems/catalogue.ts';
import { Problem } from './problems/problem.ts';
import { OneOf, type TUnsafe } from './schema.ts';

export interface Transition<S extends string> {
  /** The ids of the endpoints that lead there, or who else does: `engine`, `provider`, `time`. */
  readonly by: readonly string[];
  /** `null`: it did not exist. */
  readonly from: readonly S[] | null;
  readonly through?: S;
  /** `null`: it is gone. Empty: it stays as it is. */
  readonly to: readonly (S | null)[];
}

interface Definition<S extends string> {
  readonly resource: string;
  /** Where the status of one is kept, for whoever has to put it into a state. */
  readonly table: string;
  readonly states: readonly S[];
  /** Those that an operation leaves again. */
  readonly transitional: readonly S[];
  readonly transitions: readonly Transition<S>[];
  /** By the id of the endpoint: the states it needs, though it leads to no other. */
  readonly needs?: Readonly<Record<string, readonly S[]>>;
}

const RETRY_SECONDS = 5;

export class Lifecycle<S extends string = string> {
  readonly resource: string;
  readonly table: string;
  readonly states: readonly S[];
  readonly transitional: readonly S[];
  readonly transitions: readonly Transition<S>[];
  readonly Status: TUnsafe<S>;

  constructor(definition: Definition<S>) {
    this.resource = definition.resource;
    this.table = definition.table;
    this.states = definition.states;
    this.transitional = definition.transitional;
    const needs = Object.entries<readonly S[]>(definition.needs ?? {});
    this.transitions = [
      ...definition.transitions,
      ...needs.map(([id, from]): Transition<S> => ({ by: [id], from, to: [] })),
    ];
    this.Status = OneOf(this.states, {
      'x-states': this.transitions.map(({ by, from, through, to }) => ({
        by,
        from: from ?? [],
        ...(through === undefined ? {} : { through }),
        to,
      })),
    });
  }

  /** The states in which the endpoint is accepted; all of them where the table does not name it. */
  allowedFor(endpointId: string): readonly S[] {
    const own = this.transitions.filter(({ by, from }) => by.includes(endpointId) && from !== null);
    return own.length === 0 ? this.states : [...new Set(own.flatMap(({ from }) => from ?? []))];
  }

  /**
   * Throws 409 unless the call is possible in this state. `code` is a more specific word for it; `operation` is what
   * works on the resource now, if anything does.
   */
  require(
    endpointId: string,
    state: S,
    {
      code = 'invalid_state',
      operation,
    }: { code?: ProblemCode; operation?: StoredOperation | undefined } = {},
  ): void {
    const allowed = this.allowedFor(endpointId);
    if (allowed.includes(state)) return;
    if (state === 'suspended') throw new Problem('resource_suspended');
    if (operation !== undefined && this.transitional.includes(state)) {
      throw new Problem('operation_in_progress', {
        detail: `The ${this.resource} is ${state}.`,
        extra: { operation_id: operation.id },
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    throw new Problem(code, {
      detail: `The ${this.resource} is ${state}; this needs ${allowed.join(' or ')}.`,
      extra: { current_state: state, allowed_states: allowed },
    });
  }
}
