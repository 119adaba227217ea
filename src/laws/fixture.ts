/**
 * The interface of fixtures: they define how laws create and fill a resource. Each is in a `fixture.ts` beside its
 * resource, and `fixtures.ts` collects them, so no law lists resources by hand. A resource needs a fixture only if its
 * endpoint records and examples are not enough.
 */
import type { LightMyRequestResponse } from 'fastify';
import type { StoredOperation } from '../kernel/operations/store.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { Params, World } from './world.ts';

/** Functions of `walk.ts` for fixtures. They are passed as an argument, because `walk.ts` imports the fixtures. */
export interface Walk {
  endpoint(id: string): Endpoint;
  /** Calls the endpoint with `payload`, or with the body of its example. */
  call(
    endpoint: Endpoint,
    world: World,
    request: { params: Params; payload?: object; query?: Readonly<Record<string, unknown>> },
  ): Promise<LightMyRequestResponse>;
  /** Runs operations until none is due. */
  work(world: World): Promise<void>;
  /** The operation that an answer names in `Operation-Location`. */
  operationOf(world: World, answer: LightMyRequestResponse): Promise<StoredOperation>;
}

export interface Scenario {
  /** Creates the resources that the operation needs, waits for their operations, and starts one of the kind. */
  begin(world: World, walk: Walk): Promise<StoredOperation>;
  /** The reason why no endpoint deletes the resource of this kind. */
  readonly indestructible?: string;
}

/** A request body, and the states of the resource in which the endpoint accepts it. */
export interface Way {
  readonly body: object;
  readonly states: readonly string[];
}

/** Returns path parameters, members of the body and a query that replace those of the example. */
export type Variant = (
  world: World,
  params: Params,
) => Promise<{ params?: Params; body?: object; query?: Readonly<Record<string, unknown>> }>;

/** Compares the rows of a family with the state of its engines. */
export interface FamilyAgreement {
  /** The name of the family: `flexible-vps`. */
  readonly family: string;
  disagreements(world: World): Promise<string[]>;
  leftovers(world: World): Promise<string[]>;
  /** Its tables, each with the path of its collection, in the order in which they are deleted. */
  readonly collections: Readonly<Record<string, string>>;
}

export interface Fixture {
  /** The path of the collection that `make` adds to. */
  readonly collection?: `/${string}/v1/${string}`;
  /**
   * Adds one resource in a settled state, in the tables and at the engine, and returns its id. Default: calls the
   * create endpoint with its example.
   */
  make?(world: World, outer: Params): Promise<string>;
  /** Removes the resource. Default: calls the delete endpoint. */
  remove?(world: World, id: string): Promise<unknown>;
  /** Runs once per account for laws about lists. Returns the resource whose sub-collections `addRow` fills. */
  fillOnce?(world: World, mark: string): Promise<string | undefined>;
  /**
   * Adds row number `i` for laws about lists. `parent` is the id that `fillOnce` of the outer collection returned.
   * Default: calls the create endpoint with its example, if it answers 201.
   */
  addRow?(world: World, name: string, i: number, parent: string): Promise<void>;
  /** By endpoint id: creates the resources that a request body refers to, and returns these members of the body. */
  readonly bodies?: Readonly<Record<string, (world: World, params: Params) => Promise<object>>>;
  /** By kind: starts operations that no endpoint names, or whose endpoint has an example that starts another kind. */
  readonly scenarios?: Readonly<Record<string, Scenario>>;
  /** By endpoint id, for endpoints whose allowed states depend on the body. */
  readonly ways?: Readonly<Record<string, readonly Way[]>>;
  /** By endpoint id and title: other requests, which have another cost than the example. Creates what they need. */
  readonly variations?: Readonly<Record<string, Readonly<Record<string, Variant>>>>;
  /** By endpoint id and title: other requests, which count against other limits than the example. */
  readonly counted?: Readonly<Record<string, Readonly<Record<string, Variant>>>>;
  /** By endpoint id: other bodies of a creation. All bodies together send every member that has `readAs`. */
  readonly creations?: Readonly<Record<string, readonly ((world: World) => Promise<object>)[]>>;
  /** By the id of an update: a body in which all lists of objects and all texts in them are as long as they may be. */
  readonly largest?: Readonly<Record<string, () => object>>;
  /** By state: brings a resource that `make` added into another state in which it stays. */
  readonly settles?: Readonly<Record<string, (world: World, id: string) => Promise<unknown>>>;
  /** By title: makes an engine differ from the rows in a way that a schedule corrects with a call to the engine. */
  readonly drifts?: Readonly<Record<string, (world: World) => Promise<void>>>;
  /** In the fixture of a family that uses engines. */
  readonly agreement?: FamilyAgreement;
}
