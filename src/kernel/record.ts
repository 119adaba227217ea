/**
 * One object (record) per endpoint. The router, the checks, the OpenAPI document, the documentation and the tests in
 * `src/laws` all read it; nothing about an endpoint is written a second time.
 */
import type { Permission } from './access/permissions.ts';
import type { Call, Preparation } from './call.ts';
import type { Kind } from './operations/kind.ts';
import type { ProblemCode } from './problems/catalogue.ts';
import type { FieldError } from './problems/problem.ts';
import { type Static, type TObject, type TSchema, Type } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Access = 'read' | 'write' | 'destructive';
/**
 * `declare`: creates the resource or replaces it, by the name in its path. Without a parameter at the end of its path it
 * replaces the only one there is (`isOfOnlyOne`).
 */
export type ResourceRole = 'list' | 'read' | 'create' | 'update' | 'declare' | 'delete' | 'action';
export type SuccessStatus = 200 | 201 | 202 | 204;

/** The schema of each successful answer; `null` if it has no body. */
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

/** A JSON object whose members can be anything. */
export type AnyObject = Readonly<Record<string, unknown>>;

/** An item of a list that is a member of a resource. */
export interface Part {
  readonly name: string;
  readonly role: 'create' | 'delete';
  /** The member of the resource that lists such items. */
  readonly member: string;
  /** The member of an item by which the item is named in paths. */
  readonly key: string;
}

interface Facts {
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces, as in the OpenAPI document: `/account/v1/api-keys/{id}`. */
  readonly path: `/${string}/v1/${string}`;
  /** At most 60 characters, unique among all endpoints. */
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly access: Access;
  /** The endpoint returns credentials, gives access to a machine, or can lock others out. */
  readonly sensitive?: true;
  readonly resource: {
    readonly name: string;
    readonly role: ResourceRole;
    /** For declarations: the member of the resource that the path takes. Default: `name`. */
    readonly key?: string;
  };
  /** For calls that add an item to a list of the resource or remove one: what they create or delete. */
  readonly part?: Part;
  /** The call can lower the cost. Not needed if it deletes a resource whose creation raises it. */
  readonly lowersCost?: true;
  /**
   * The call can raise the cost. `true`: restricted accounts may not make it. `sometimes`: whether it does depends on
   * the request, and restricted accounts may make calls that do not.
   */
  readonly raisesCost?: true | 'sometimes';
  /** Allowed for suspended accounts, although it is neither GET nor DELETE. */
  readonly whileSuspended?: true;
  readonly bodyLimitBytes?: number;
  /** Problems of this endpoint, in addition to those that `possibleProblems` derives. */
  readonly problems: readonly ProblemCode[];
  /**
   * The kind of operation that the endpoint starts, if it answers 202. If the record names an answer 200, too, some
   * requests need no operation, and are done when they are answered.
   */
  readonly operation?: Kind;
  /**
   * The members of the resource (or of the request that creates it) that this call changes, if the update of the
   * resource does not take them, each with the JSON Pointer of what decides its value in the body of this call. A
   * refused update names this call.
   */
  readonly changes?: Readonly<Record<string, `/${string}`>>;
  /** One of the other `formats`, for callers whose `Accept` is a wildcard. Without it they get JSON. */
  readonly preferredFormat?: string;
  /** A read that can wait for a change (`call.hold`). It accepts `Prefer: wait=N` and the parameter `wait`. */
  readonly waits?: true;
  readonly example: Example;
}

export interface EndpointDefinition<
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  A extends Answers,
  R = undefined,
> extends Facts {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answers: A;
  /**
   * Members that are required because of other members, which the schema does not say. Called if the schema refuses
   * the request, so that one answer names all missing members: it gets any JSON object. If the schema accepts the
   * request, the handler refuses them, together with its other checks.
   */
  missing?(body: AnyObject): readonly FieldError[];
  /**
   * For writes whose handler needs an answer from an engine. Runs before the transaction, while no connection is held,
   * and its result is passed to the handler. It changes nothing. It keeps the problem of an engine as an `Answer`,
   * because the checks of the handler come first.
   */
  prepare?(call: Preparation<Static<P>, Static<Q>, Static<B>>): Promise<R>;
  handle(call: Call<Static<P>, Static<Q>, Static<B>>, prepared: R): Promise<ReplyTo<A>>;
  /** Other formats of its 200 answer, by media type, for callers whose `Accept` names one. */
  readonly formats?: Readonly<Record<string, (body: BodyOf<A[200]>) => string | FormattedFile>>;
  /** The same read as a continuous stream, for callers that ask for one. Refusals come before the first item. */
  stream?(call: Call<Static<P>, Static<Q>, Static<B>>, resumeAfter: string | undefined): Promise<Stream>;
}

/** The record with its types erased, as all code outside the families uses it. */
export interface Endpoint extends Facts {
  readonly family: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TSchema | undefined;
  readonly answers: Answers;
  /** Whether only some requests start the operation. */
  readonly startsSometimes?: true;
  readonly missing?: (body: AnyObject) => readonly FieldError[];
  readonly prepare: ((call: Preparation) => Promise<unknown>) | undefined;
  handle(call: Call<unknown, unknown, unknown>, prepared?: unknown): Promise<Reply>;
  readonly formats: Formats;
  readonly stream: ((call: Call, resumeAfter: string | undefined) => Promise<Stream>) | undefined;
}

/** An answer in another format than JSON. */
export interface FormattedFile {
  readonly content: string | Buffer;
  /** The name under which clients save it. */
  readonly fileName?: string;
}

export type Formats = Readonly<Record<string, (body: unknown) => string | FormattedFile>>;

export interface StreamItem {
  /** The client sends it back to resume an interrupted stream. */
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
  R = undefined,
>(definition: EndpointDefinition<P, Q, B, A, R>): Endpoint {
  return {
    ...definition,
    family: definition.path.split('/')[1] ?? '',
    params: definition.params ?? NOTHING,
    query: definition.query ?? NOTHING,
    body: definition.body,
    answers: withFinalAnswer(definition),
    ...(isAsync(definition) && definition.operation && definition.answers[200]
      ? { startsSometimes: true }
      : {}),
    // The pipeline validates the input against the same schemas before it calls, so the types are right.
    prepare: definition.prepare as unknown as Endpoint['prepare'],
    handle: definition.handle as unknown as Endpoint['handle'],
    formats: (definition.formats ?? {}) as unknown as Formats,
    stream: definition.stream as unknown as Endpoint['stream'],
  };
}

/** True if the endpoint answers 202 and does the work in an operation. */
export const isAsync = ({ answers, operation }: Pick<Endpoint, 'answers' | 'operation'>): boolean =>
  answers[202] != null && (operation !== undefined || isOperation(answers[202]));

/** True if an operation creates the resource, so that the call takes `on_failure`. */
export const isAsyncCreate = ({
  resource,
  answers,
  operation,
}: Pick<Endpoint, 'resource' | 'answers' | 'operation'>): boolean =>
  resource.role === 'create' && operation !== undefined && answers[202] != null;

export const isOperation = (schema: TSchema): boolean => (schema as { title?: string }).title === 'Operation';

/** An operation that may be answered as text has its status in a header, too, for programs that follow it. */
export const showsStatus = (
  { answers, formats }: Pick<Endpoint, 'answers' | 'formats'>,
  status: SuccessStatus,
): boolean =>
  status === 200 && answers[200] != null && isOperation(answers[200]) && Object.keys(formats).length > 0;

/** Adds a 200 with the same schema, for callers that wait until the operation has ended. */
function withFinalAnswer(definition: Pick<Endpoint, 'answers' | 'operation'>): Answers {
  const { answers } = definition;
  return isAsync(definition) && answers[202] !== undefined ? { 200: answers[202], ...answers } : answers;
}

export const isWrite = (record: Pick<Endpoint, 'access'>): boolean => record.access !== 'read';

export const ok = <B>(body: B): { status: 200; body: B } => ({ status: 200, body });
export const created = <B>(body: B): { status: 201; body: B } => ({ status: 201, body });
export const accepted = <B>(body: B): { status: 202; body: B } => ({ status: 202, body });
export const noContent: { status: 204; body: null } = { status: 204, body: null };
