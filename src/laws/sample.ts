/**
 * The endpoints and kinds of operations that a law with a running app tries. `npm test` tries two of each shape and a
 * quarter of the others, which a seed chooses; `npm test -- --affected` tries those that the change affects; all other
 * runs try all. `scripts/test.mjs` sets the two variables of the environment.
 */
import { createHash } from 'node:crypto';
import type { TestContext } from 'vitest';
import type { Kind } from '../kernel/operations/kind.ts';
import type { Endpoint } from '../kernel/record.ts';

/** What a run tries. Without a member, it tries everything. */
export interface Selection {
  readonly seed?: string;
  /** The names of the affected endpoints and kinds. */
  readonly names?: readonly string[];
}

function readSelection({ HOSTPLANE_TEST_SEED: seed, HOSTPLANE_TEST_NAMES: names }: NodeJS.ProcessEnv) {
  return { ...(seed ? { seed } : {}), ...(names ? { names: names.split(',') } : {}) };
}
const ofThisRun: Selection = readSelection(process.env);

/** False if this run tries only some endpoints. */
export const triesAll = Object.keys(ofThisRun).length === 0;

/** Skips a test that compares what the law found with a list for all endpoints, unless this run tries all of them. */
export const aboutAll = (skip: TestContext['skip']): void =>
  skip(!triesAll, 'it is about all endpoints, and this run tries some of them');

/** Endpoints of one shape take the same way through the pipeline: the laws differ little between them. */
export function shapeOf({ method, resource, operation }: Endpoint): string {
  const starts = operation === undefined ? 'answers at once' : 'starts an operation';
  return [method, resource.role, starts].join(', ');
}

function shapeOfKind(kind: Kind, endpoints: readonly Endpoint[]): string {
  const starter = endpoints.find(({ operation }) => operation === kind);
  const parts = (['cancellable', 'erase', 'undo'] as const).filter((part) => Boolean(kind[part]));
  return [starter?.resource.role ?? 'no endpoint', ...parts].join(', ');
}

interface Named<T> {
  readonly item: T;
  readonly id: string;
  readonly shape: string;
}

/** The place of a name in the order that belongs to a seed. It does not depend on the other names. */
const rankOf = (seed: string, id: string): string => createHash('sha1').update(`${seed} ${id}`).digest('hex');

function select<T>(all: readonly Named<T>[], { seed, names }: Selection): T[] {
  const affected = names === undefined ? all : all.filter(({ id }) => names.includes(id));
  // Vitest fails a suite without tests, so at least one is tried.
  const concerned = affected.length === 0 ? all.slice(0, 1) : affected;
  const chosen = seed === undefined ? new Set(concerned) : draw(concerned, seed);
  return concerned.filter((each) => chosen.has(each)).map(({ item }) => item);
}

function draw<T>(all: readonly Named<T>[], seed: string): Set<Named<T>> {
  const inOrder = all
    .map((each) => ({ each, rank: rankOf(seed, each.id) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ each }) => each);
  const pairs = new Set(
    inOrder.filter(
      ({ shape }, place) => inOrder.slice(0, place).filter((each) => each.shape === shape).length < 2,
    ),
  );
  const others = inOrder.filter((each) => !pairs.has(each));
  return new Set([...pairs, ...others.slice(0, Math.ceil(others.length / 4))]);
}

/** The endpoints that this run tries, in their order. */
export const sample = (endpoints: readonly Endpoint[], selection = ofThisRun): Endpoint[] =>
  select(
    endpoints.map((item) => ({ item, id: item.id, shape: shapeOf(item) })),
    selection,
  );

/** The items that belong to endpoints of the sample. */
export function sampleBy<T>(items: readonly T[], endpointOf: (item: T) => Endpoint): T[] {
  const chosen = new Set(sample([...new Set(items.map(endpointOf))]));
  return items.filter((item) => chosen.has(endpointOf(item)));
}

/** The kinds of operations that this run tries. `endpoints` are those that may start them. */
export const sampleKinds = (
  kinds: readonly Kind[],
  endpoints: readonly Endpoint[],
  selection = ofThisRun,
): Kind[] =>
  select(
    kinds.map((item) => ({
      item,
      id: item.type,
      shape: shapeOfKind(item, endpoints),
    })),
    selection,
  );
