/**
 * What the laws need to know of a resource, kept beside it in a file called `fixture.ts`. `fixtures.ts` collects these
 * files, so no law lists resources by hand. A resource needs one only where its record and example are not enough.
 */
import type { LightMyRequestResponse } from 'fastify';
import type { StoredOperation } from '../kernel/operations/store.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { Params, World } from './world.ts';

/** What a fixture may use of the walk; passed in, because the walk imports the fixtures. */
export interface Walk {
  endpoint(id: string): Endpoint;
  /** Creates what the path of the endpoint names and returns the ids. */
  paramsFor(endpoint: Pick<Endpoint, 'path'>, world: World): Promise<Params>;
  /** Calls the endpoint with the body of its example, or with this one. */
  call(
    endpoint: Endpoint,
    world: World,
    request: { params: Params; payload?: object },
  ): Promise<LightMyRequestResponse>;
  /** Runs operations until none is left to run. */
  work(world: World): Promise<void>;
  /** The operation that an answer names in `Operation-Location`. */
  operationOf(world: World, answer: LightMyRequestResponse): Promise<StoredOperation>;
}

export interface Scenario {
  /** Starts one operation of the kind; everything it needs exists and is at rest. */
  begin(world: World, walk: Walk): Promise<StoredOperation>;
  /** Why no endpoint deletes what operations of this kind create. */
  readonly indestructible?: string;
}

/** One way to call an endpoint whose needs depend on its body, and the states in which it is then accepted. */
export interface Way {
  readonly body: object;
  readonly states: readonly string[];
}

export interface Fixture {
  /** The path of the collection that `make` adds to. */
  readonly collection?: `/${string}/v1/${string}`;
  /**
   * Adds one resource at rest, in the tables and at the engine, and returns its id. Left out where calling the create
   * endpoint with its example is as good.
   */
  make?(world: World, outer: Params): Promise<string>;
  /** Removes it. Left out where an endpoint deletes it for good. */
  remove?(world: World, id: string): Promise<unknown>;
  /** Adds what an account has once, for laws about lists; returns the id whose sub-collections `addRow` fills. */
  fillOnce?(world: World, mark: string): Promise<string | undefined>;
  /** Adds row number `i` for laws about lists; `parent` is what `fillOnce` of the outer collection returned. */
  addRow?(world: World, name: string, i: number, parent: string): Promise<void>;
  /** Members of request bodies that name other resources, by the id of the endpoint: created first. */
  readonly bodies?: Readonly<Record<string, (world: World, params: Params) => Promise<object>>>;
  /** How operations start whose kind no endpoint names, or whose endpoint's example starts another kind. */
  readonly scenarios?: Readonly<Record<string, Scenario>>;
  /** For endpoints that need other states depending on their body, by the id of the endpoint. */
  readonly ways?: Readonly<Record<string, readonly Way[]>>;
}
