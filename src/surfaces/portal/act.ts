/**
 * An act: what only people may do, declared once. The routes, the role matrix and the laws are derived from the acts, as
 * those of the API are from the endpoint records.
 */
import type { RoleName } from '../../kernel/access/roles.ts';
import { roleNames } from '../../kernel/access/roles.ts';
import type { Static, TSchema } from '../../kernel/schema.ts';
import type { Services } from '../../kernel/services.ts';
import type { Actor } from '../../portal-api/actor.ts';
import { type Authority, rolesWith } from '../../portal-api/authority.ts';
import type { RequestContext } from '../../portal-api/people/request-context.ts';
import type { FoundSession } from '../../portal-api/people/sessions/sessions.ts';
import type { Membership } from '../../portal-api/people/store.ts';

/** `none`: nobody has to be signed in. `person`: a person, in no account. Others: a member of the account in the path. */
export type ActAuthority = 'none' | 'person' | Exclude<Authority, 'staff'>;

export interface VisitorCall {
  readonly services: Services;
  readonly context: RequestContext;
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly session: FoundSession | null;
  /** Gives the browser the token of its session, if the act has `givesSession`; null takes it away. */
  keepToken(token: string | null): void;
}

export interface PersonCall extends VisitorCall {
  readonly session: FoundSession;
}

export interface MemberCall extends PersonCall {
  readonly accountId: string;
  readonly membership: Membership;
  readonly actor: Actor;
}

type CallOf<A extends ActAuthority> = A extends 'none'
  ? VisitorCall
  : A extends 'person'
    ? PersonCall
    : MemberCall;

/** Handlers return times as dates; they are sent as text. */
type Sent<T> = T extends string
  ? T | Date
  : T extends readonly (infer E)[]
    ? readonly Sent<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Sent<T[K]> }
      : T;

/**
 * For an act that tightens or loosens, as one member of its input says. Only the values listed here need no
 * re-authentication: an emergency stop must not wait for a password, and undoing it must.
 */
export interface Direction<I extends TSchema = TSchema> {
  readonly by: string & keyof Static<I>;
  readonly safe: readonly unknown[];
}

interface Definition<A extends ActAuthority, I extends TSchema, O extends TSchema> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/portal/v1`, with parameters in braces. Acts in an account begin with `/accounts/{account_id}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** The body; for GET and DELETE the query. */
  readonly input: I;
  readonly answer: O;
  readonly status?: 201 | 202;
  /** It changes nothing, although it is no GET: its input may be too long for an address. */
  readonly changesNothing?: true;
  /** The act can give the browser a session, or a new token of its session. No other act can. */
  readonly givesSession?: true;
  readonly authority: A;
  /**
   * Whether the person must have signed in, or entered a credential again, within the last ten minutes. A function
   * decides it by what the act is about, and `Direction` by what the input asks for.
   */
  readonly reauthentication: boolean | Direction<I> | ((call: CallOf<A>) => Promise<boolean>);
  /**
   * Members of the input that offer a choice of which no value loosens anything. An act that never asks for
   * re-authentication names all its other choices here, so that nobody adds a dangerous one unseen.
   */
  readonly harmlessChoices?: readonly (string & keyof Static<I>)[];
  /** Which log gets the entry of a change: the account's audit log or the person's own. Reads have none. */
  readonly audit: 'account' | 'person' | 'none';
  handle(call: CallOf<A>, input: Static<I>): Promise<Sent<Static<O>>>;
}

export interface Act
  extends Omit<
    Definition<ActAuthority, TSchema, TSchema>,
    'handle' | 'reauthentication' | 'harmlessChoices'
  > {
  readonly reauthentication:
    | boolean
    | { readonly by: string; readonly safe: readonly unknown[] }
    | ((call: MemberCall) => Promise<boolean>);
  readonly harmlessChoices?: readonly string[];
  handle(call: VisitorCall, input: unknown): Promise<unknown>;
}

export function act<A extends ActAuthority, I extends TSchema, O extends TSchema>(
  definition: Definition<A, I, O>,
): Act {
  return definition as unknown as Act;
}

/** The role matrix: who may do it, if the act is one in an account. */
export function rolesOf({ authority }: Act): readonly RoleName[] {
  return authority === 'none' || authority === 'person' ? roleNames : rolesWith(authority);
}

export const isRead = ({ method, changesNothing }: Pick<Act, 'method' | 'changesNothing'>): boolean =>
  method === 'GET' || changesNothing === true;
