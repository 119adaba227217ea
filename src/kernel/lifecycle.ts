/**
 * The states of a resource and the transitions between them. Endpoints enforce them, the OpenAPI document publishes
 * them (`x-states`), and a test in `src/laws` tries every state with every endpoint. Each resource has one such table;
 * states are listed nowhere else.
 */
import type { StoredOperation } from './operations/store.ts';
import type { ProblemCode } from './problems/catalogue.ts';
import { Problem } from './problems/problem.ts';
import { type PublishedStates, severitiesOf } from './published-states.ts';
import { keysOf, type Meanings, Named, OneOf, type TUnsafe, volatile } from './schema.ts';

export interface Transition<S extends string> {
  /** The ids of the endpoints that cause the transition, or one of `OTHER_CAUSES`. */
  readonly by: readonly string[];
  /** `null`: the resource did not exist before. */
  readonly from: readonly S[] | null;
  readonly through?: S;
  /** `null`: the resource no longer exists. Empty: the state does not change. */
  readonly to: readonly (S | null)[];
}

export const OTHER_CAUSES: readonly string[] = ['engine', 'provider', 'time'];

interface Definition<S extends string> {
  readonly resource: string;
  /** What messages call the resource, if that is not its name. */
  readonly noun?: string;
  /** The table with the column of the state. Tests use it to put a resource into a state. */
  readonly table: string;
  /** The column and the member of answers that have the state. Default: `status`. */
  readonly member?: string;
  /** The states and what each of them means. */
  readonly states: Meanings<S>;
  /** States that last only while an operation runs. */
  readonly transitional: readonly S[];
  readonly transitions: readonly Transition<S>[];
  /** The update of the resource takes the status, so tools that compare must not pass over it. */
  readonly settable?: true;
  /** The states that an endpoint (by its id) needs, for endpoints that change no state. */
  readonly needs?: Readonly<Record<string, readonly S[]>>;
}

/** The status of a resource that no longer exists, in the last answer about it. No row has it. */
export const DELETED = 'deleted';

const RETRY_SECONDS = 5;

const pascalCase = (resource: string): string =>
  resource.replaceAll(/(?:^|[_ -])([a-z])/g, (_, letter: string) => letter.toUpperCase());

export class Lifecycle<S extends string = string> {
  readonly resource: string;
  readonly table: string;
  readonly member: string;
  readonly states: readonly S[];
  readonly transitional: readonly S[];
  readonly transitions: readonly Transition<S>[];
  /** For inputs and filters. */
  readonly Status: TUnsafe<S>;
  /** For answers: a call that waited until its resource was gone shows it as `deleted`. */
  readonly ShownStatus: TUnsafe<S | typeof DELETED>;
  readonly #noun: string;

  constructor(definition: Definition<S>) {
    this.resource = definition.resource;
    this.#noun = definition.noun ?? definition.resource.replaceAll('_', ' ');
    this.table = definition.table;
    this.member = definition.member ?? 'status';
    this.states = keysOf(definition.states);
    this.transitional = definition.transitional;
    const needs = Object.entries<readonly S[]>(definition.needs ?? {});
    this.transitions = [
      ...definition.transitions,
      ...needs.map(([id, from]): Transition<S> => ({ by: [id], from, to: [] })),
    ];
    const name = pascalCase(this.resource);
    const description = 'The present state. It decides which calls the resource accepts.';
    const gone = { [DELETED]: 'It no longer exists. Only a call that waited for its end shows this.' };
    this.Status = Named(`${name}StatusFilter`, OneOf(definition.states, { description }));
    this.ShownStatus = Named(
      `${name}Status`,
      OneOf({ ...definition.states, ...gone } as Meanings<S | typeof DELETED>, {
        ...(definition.settable ? {} : volatile),
        description:
          'The present state. `x-states` lists the calls that each state allows, and the transitions.',
        'x-states': this.#published(definition.transitions),
      }),
    );
  }

  #published(transitions: readonly Transition<S>[]): PublishedStates {
    const ids = [...new Set(this.transitions.flatMap(({ by, from }) => (from === null ? [] : by)))];
    const calls = ids.filter((id) => !OTHER_CAUSES.includes(id));
    return {
      transient: this.transitional,
      allows: Object.fromEntries(
        this.states.map((state) => [state, calls.filter((id) => this.allowedFor(id).includes(state))]),
      ),
      transitions: transitions.map(({ by, from, through, to }) => ({
        by,
        from: from ?? [],
        ...(through === undefined ? {} : { through }),
        to,
      })),
      ...severitiesOf(this.states),
    };
  }

  /** The states in which the endpoint is accepted; all states if no transition names the endpoint. */
  allowedFor(endpointId: string): readonly S[] {
    const own = this.transitions.filter(({ by, from }) => by.includes(endpointId) && from !== null);
    return own.length === 0 ? this.states : [...new Set(own.flatMap(({ from }) => from ?? []))];
  }

  /**
   * Throws 409 unless the endpoint is accepted in this state. `code` replaces `invalid_state` by a more specific code;
   * `operation` is the one that works on the resource now, if any.
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
        detail: `The ${this.#noun} is ${state}.`,
        extra: { operation_id: operation.id },
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    throw new Problem(code, {
      detail: `The ${this.#noun} is ${state}. This call is possible only while it is ${allowed.join(' or ')}.`,
      extra: { current_state: state, allowed_states: allowed },
    });
  }
}
