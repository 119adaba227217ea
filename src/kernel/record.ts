/**
 * One object per endpoint. The router, the checks, the specification, the documents and the laws are all read
 * from it; nothing about an endpoint is written a second time.
 */
import type { Permission } from './access/permissions.ts';
import type { Call } from './call.ts';
import type { Kind } from './operations/kind.ts';
import type { ProblemCode } from './problems/catalogue.ts';
import { type Static, type TObject, type TSchema, Type } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Access = 'read' | 'write' | 'destructive';
export type ResourceRole = 'list' | 'read' | 'create' | 'update' | 'delete' | 'action';
export type SuccessStatus = 200 | 201 | 202 | 204;

/** The shape of each successful answer; `null` where there is no body. */
export type Answers = { readonly [S in SuccessStatus]?: TSchema | null };

type BodyOf<S> = S extends TSchema ? Static<S> : null;
export type ReplyTo<A extends Answers> = {
  [S in keyof A & SuccessStatus]: { readonly status: S; readonly body: BodyOf<A[S]> };
}[keyof A & SuccessStatus];

export interface Reply {
  readonly status: SuccessStatus;
  readonly body: unknown;
}

export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly answer: { readonly status: SuccessStatus; readonly body: unknown };
}

interface Facts {
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces, as clients read it: `/account/v1/api-keys/{id}`. */
  readonly path: `/${string}/v1/${string}`;
  /** At most 60 characters, no two alike. */
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly access: Access;
  /** Answers with credentials or opens a way in, or can shut others out. */
  readonly sensitive?: true;
  readonly resource: { readonly name: string; readonly role: ResourceRole };
  /** Refused to restricted accounts. */
  readonly raisesCost?: true;
  /** Still allowed when the account is suspended, though it is neither GET nor DELETE. */
  readonly whileSuspended?: true;
  readonly bodyLimitBytes?: number;
  /** Refusals of this endpoint beyond those every endpoint of its kind can give. */
  readonly problems: readonly ProblemCode[];
  /** What it starts, if it answers 202. */
  readonly operation?: Kind;
  /** A read that can be held until there is something to tell (`call.hold`): takes `Prefer: wait=N` and `wait`. */
  readonly waits?: true;
  readonly example: Example;
}

export interface EndpointDefinition<
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  A extends Answers,
> extends Facts {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answers: A;
  handle(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<ReplyTo<A>>;
  /** What else its 200 can be written as, by media type, for callers whose `Accept` names it. */
  readonly formats?: Readonly<Record<string, (body: BodyOf<A[200]>) => string>>;
  /** The same read as it goes on, for callers that ask for a stream; refusals come before the first item. */
  stream?(call: Call<Static<P>, Static<Q>, Static<B>>, resumeAfter: string | undefined): Promise<Stream>;
}

/** What the rest of the house sees: the same record with its types erased. */
export interface Endpoint extends Facts {
  readonly family: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TSchema | undefined;
  readonly answers: Answers;
  handle(call: Call<unknown, unknown, unknown>): Promise<Reply>;
  readonly formats: Formats;
  readonly stream: ((call: Call, resumeAfter: string | undefined) => Promise<Stream>) | undefined;
}

export type Formats = Readonly<Record<string, (body: unknown) => string>>;

export interface StreamItem {
  /** Where a stream that was cut off goes on. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export type Stream = AsyncIterable<StreamItem>;

const NOTHING = Type.Object({}, { additionalProperties: false });

export function endpoint<
  A extends Answers,
  P extends TObject = typeof NOTHING,
  Q extends TObject = typeof NOTHING,
  B extends TSchema = TSchema,
>(definition: EndpointDefinition<P, Q, B, A>): Endpoint {
  return {
    ...definition,
    family: definition.path.split('/')[1] ?? '',
    params: definition.params ?? NOTHING,
    query: definition.query ?? NOTHING,
    body: definition.body,
    answers: withFinalAnswer(definition),
    // The pipeline validates input against these very schemas before it calls, so the types hold.
    handle: definition.handle as unknown as Endpoint['handle'],
    formats: (definition.formats ?? {}) as unknown as Formats,
    stream: definition.stream as unknown as Endpoint['stream'],
  };
}

/** Answers 202 and does the rest in an operation. */
export const isAsync = ({ answers, operation }: Pick<Endpoint, 'answers' | 'operation'>): boolean =>
  answers[202] != null && (operation !== undefined || isOperation(answers[202]));

export const isOperation = (schema: TSchema): boolean => (schema as { title?: string }).title === 'Operation';

/** A caller that waits for the end gets the same shape, as it is then. */
function withFinalAnswer(definition: Pick<Endpoint, 'answers' | 'operation'>): Answers {
  const { answers } = definition;
  return isAsync(definition) && answers[202] !== undefined ? { 200: answers[202], ...answers } : answers;
}

export const isWrite = (record: Pick<Endpoint, 'access'>): boolean => record.access !== 'read';

export const ok = <B>(body: B): { status: 200; body: B } => ({ status: 200, body });
export const created = <B>(body: B): { status: 201; body: B } => ({ status: 201, body });
export const accepted = <B>(body: B): { status: 202; body: B } => ({ status: 202, body });
export const noContent: { status: 204; body: null } = { status: 204, body: null };
