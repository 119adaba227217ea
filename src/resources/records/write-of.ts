/**
 * The record of a call that creates, changes or deletes a resource and answers with it, derived from its view. The
 * handler is written by the resource; `creation.ts` and `deletion.ts` have those that many resources share.
 */
import type { Call, Preparation } from '../../kernel/call.ts';
import { during } from '../../kernel/operations/example.ts';
import type { Kind } from '../../kernel/operations/kind.ts';
import type { StoredOperation } from '../../kernel/operations/store.ts';
import { type Endpoint, type EndpointDefinition, endpoint } from '../../kernel/record.ts';
import type { Static, TObject, TSchema } from '../../kernel/schema.ts';
import type { OwnedTableName } from '../owned/table.ts';
import { type Head, headOf } from './head.ts';
import type { Params, View } from './view.ts';

export type WriteCall<Q extends TObject = TObject, B extends TSchema = TSchema> = Call<
  Params,
  Static<Q>,
  Static<B>
>;

/** Members of the record that are taken over as they are. */
const FACTS = [
  'raisesCost',
  'lowersCost',
  'whileSuspended',
  'bodyLimitBytes',
  'missing',
  'query',
  'body',
  'prepare',
] as const;

type Definition = EndpointDefinition<TObject, TObject, TSchema, object>;
type Facts = Partial<
  Pick<Definition, 'raisesCost' | 'lowersCost' | 'whileSuspended' | 'bodyLimitBytes' | 'missing'>
>;

export interface WriteFacts<S extends TObject, Q extends TObject, B extends TSchema> extends Head, Facts {
  readonly query?: Q;
  readonly body?: B;
  /** The request, and the members of its answer that differ from the example of the view. */
  readonly example?: {
    readonly query?: Static<Q>;
    readonly body?: Static<B>;
    readonly answer?: Partial<Static<S>>;
  };
}

interface WriteOptions<S extends TObject, Row, Q extends TObject, B extends TSchema, R>
  extends WriteFacts<S, Q, B> {
  /** The operation that does the work: the answer is 202. Left out: it is done when it is answered, with 201 or 200. */
  readonly kind?: Kind;
  prepare?(call: Preparation<Params, Static<Q>, Static<B>>): Promise<R>;
  handle(call: WriteCall<Q, B>, prepared: R): Promise<{ row: Row; operation?: StoredOperation }>;
}

/** How an example looks while the operation of the call works on it. */
const MEANWHILE = {
  create: { status: 'creating' },
  update: {},
  declare: {},
  delete: { status: 'deleting' },
} as const;

export function writeOf<
  S extends TObject,
  Row,
  T extends OwnedTableName,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R = undefined,
>(
  view: View<S, Row, T>,
  role: 'create' | 'update' | 'declare' | 'delete',
  options: WriteOptions<S, Row, Q, B, R>,
): Endpoint {
  const { kind, example = {}, handle } = options;
  const facts = FACTS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  const { example: named, ...head } = headOf(view, role, options);
  const status = kind !== undefined ? 202 : role === 'create' ? 201 : 200;
  const isNew = role === 'create' && view.schema.properties['provisioned_at'] !== undefined;
  const shown = {
    ...(view.example as { readonly id: string; readonly name: string }),
    ...(kind !== undefined && MEANWHILE[role]),
    ...(isNew && { provisioned_at: null }),
    ...example.answer,
  };
  return endpoint({
    ...Object.fromEntries(facts),
    ...head,
    answers: { [status]: view.schema },
    ...(kind === undefined ? {} : { operation: kind }),
    example: {
      ...named,
      ...(example.query === undefined ? {} : { query: example.query as object as Record<string, unknown> }),
      ...(example.body === undefined ? {} : { body: example.body }),
      answer: { status, body: kind === undefined ? shown : during(kind, shown, {}) },
    },
    async handle(erased, prepared) {
      // The pipeline has checked the request against the schemas of this record.
      const call = erased as unknown as WriteCall<Q, B>;
      const { row, operation } = await handle(call, prepared as R);
      return { status, body: view.present(call, row, operation) } as never;
    },
  });
}
