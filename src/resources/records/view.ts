/**
 * A view joins a resource with the schema of its answers, its example and the members that are computed. The records of
 * its lists, reads and deletions are derived from it (`list-of.ts`, `read-of.ts`, `delete-of.ts`).
 */
import type { RawBuilder } from 'kysely';
import type { Permission } from '../../kernel/access/permissions.ts';
import type { Call } from '../../kernel/call.ts';
import type { ListCall } from '../../kernel/listing/store.ts';
import { NameOrId, type Reference, referenceOf } from '../../kernel/named/named.ts';
import type { Page } from '../../kernel/pages/store.ts';
import { type Computed, type Present, presenter, type Viewer } from '../../kernel/presenter.ts';
import type { EndpointDefinition } from '../../kernel/record.ts';
import { Id, Shape, type Static, type TObject } from '../../kernel/schema.ts';
import type { Narrowing, Reading, WithOperation } from '../owned/store.ts';
import type { OwnedTableName } from '../owned/table.ts';

export type Path = EndpointDefinition<TObject, TObject, TObject, object>['path'];

/** What an endpoint needs to know of its resource. `Owned` has all of it; others have no `list` and `find`. */
export interface Source<Row, T extends OwnedTableName> {
  readonly type: string;
  /** The name in sentences. */
  readonly words: string;
  readonly idPrefix: string;
  /** The permission to read it. */
  readonly permission?: Permission;
  readonly path?: string;
  etag?(row: Row): string;
  list?(call: ListCall, endpoint: string, narrowing: Narrowing<T>): Promise<Page<Row & WithOperation>>;
  find?(
    call: Pick<Call, 'db' | 'caller'>,
    reference: Reference,
    reading: Reading,
  ): Promise<(Row & WithOperation) | undefined>;
}

/** For parts of another resource, such as the snapshots of a volume. */
export interface Parent {
  readonly of: {
    readonly idPrefix: string;
    /** Throws 404 if the account does not have the parent. */
    get(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<unknown>;
  };
  /** The column with the id of the parent, which is the parameter `id` of the path. */
  readonly column: string;
  /** The path parameter with the id of the part: `snapshot_id`. */
  readonly param: string;
}

/** The parameters of a path. `id` is the resource, or its parent if it is a part of another. */
export type Params = Readonly<Record<string, string>> & { readonly id: string };

/** A path with its parameters, and their values in examples. */
export interface Place {
  readonly path: Path;
  readonly params: TObject;
  readonly example: Readonly<Record<string, string>>;
}

/** Values that a query selects beside the columns, from the `store.ts` of the resource. */
export type Selected<M extends object> = { readonly [K in keyof M]: RawBuilder<M[K]> };

interface Options<S extends TObject, Row, M extends object> {
  readonly schema: S;
  /** Values that all answers show beside the columns. */
  readonly more?: Selected<M>;
  readonly example: Static<S>;
  /** Left out: the path of the resource without its id. */
  readonly path?: Path;
  /** The permission to read it, if the resource does not name it. */
  readonly permission?: Permission;
  readonly parent?: Parent;
  /** Paths take the name of the resource instead of its id, too. */
  readonly named?: true;
  /** The account, or the parent, has exactly one (`Single`): its path has no id of its own. */
  readonly single?: true;
  /** Computes the members that are not columns. */
  compute?(row: Row, call: Viewer): Computed<Static<S>, Row>;
}

export interface View<S extends TObject, Row, T extends OwnedTableName = OwnedTableName> {
  readonly source: Source<Row, T>;
  readonly schema: S;
  readonly example: Static<S>;
  /** The list of the resources. */
  readonly collection: Place;
  /** One of them. */
  readonly one: Place;
  /** The parameter with the id of the resource in the path of one. */
  readonly param: string;
  readonly parent: Parent | undefined;
  readonly permission: (action: 'read' | 'write' | 'delete') => Permission;
  /** What its answers need beside the columns. */
  readonly reading: Reading;
  /** Reads one with all that its answer needs, and `more`. Undefined if the account has no such resource. */
  find<More extends object>(
    call: Pick<Call, 'db' | 'caller'>,
    id: string,
    more?: Selected<More>,
  ): Promise<(Row & More) | undefined>;
  readonly present: Present<Static<S>, Row>;
}

export function view<
  S extends TObject,
  Row extends object,
  T extends OwnedTableName,
  const Of extends Source<Row, T>,
  M extends object = object,
>(
  source: Of & Source<Row, T>,
  options: Options<S, Row & M, M> &
    (Record<never, never> extends Computed<Static<S>, Row & M> ? unknown : { compute: unknown }),
): View<S, Row & M, T> & { readonly source: Of } {
  const { schema, example, parent, compute } = options;
  const path = options.path ?? (source.path?.replace(/\/\{id\}$/, '') as Path);
  const param = parent?.param ?? 'id';
  const own = options.named ? NameOrId(source.idPrefix).properties.id : Id(source.idPrefix);
  const shown = example as Readonly<Record<string, string>>;
  const ownExample = shown[options.named ? 'name' : 'id'] ?? '';
  const above = parent === undefined ? {} : { id: Id(parent.of.idPrefix) };
  const aboveExample = parent === undefined ? {} : { id: shown[parent.column] ?? '' };
  const reading: Reading = {
    withOperation: schema.properties['operation'] !== undefined,
    more: options.more ?? {},
  };
  const collection: Place = { path, params: Shape(above), example: aboveExample };
  const item: Place = {
    path: `${path}/{${param}}`,
    params: Shape({ ...above, [param]: own }),
    example: { ...aboveExample, [param]: ownExample },
  };
  return {
    source: source as Of & Source<Row & M, T>,
    schema,
    example,
    collection,
    one: options.single ? collection : item,
    param,
    parent,
    permission: (action) =>
      (options.permission ?? source.permission ?? '').replace(/[^:]*$/, action) as Permission,
    reading,
    async find<More extends object>(call: Pick<Call, 'db' | 'caller'>, id: string, more?: Selected<More>) {
      if (source.find === undefined) throw new Error(`The endpoints of ${source.type} read it themselves.`);
      const wanted = more === undefined ? reading : { ...reading, more: { ...reading.more, ...more } };
      return (await source.find(call, referenceOf(id), wanted)) as (Row & M & More) | undefined;
    },
    // A resource without `etag` has the default: id and version.
    present: presenter<S, Row & M>(schema, {
      ...(source.etag === undefined ? {} : { etag: (row: Row) => source.etag?.(row) ?? '' }),
      ...(compute === undefined ? {} : { compute }),
    } as Parameters<typeof presenter<S, Row & M>>[1]),
  };
}
