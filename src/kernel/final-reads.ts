/**
 * How a call that waits reads its resource again when the operation has ended. Derived from the records: the endpoint
 * that reads the resource named in the record, or lists it if no endpoint reads one.
 */
import { type Endpoint, isAsync, isOperation, isWrite } from './record.ts';
import type { TSchema } from './schema.ts';

export interface FinalRead {
  readonly reader: Endpoint;
  /** The path parameter that is the `id` of the answer; null if the path does not end with one. */
  readonly idParam: string | null;
}

/** A name that two families use would mix their resources in events, operations and here. */
export function refuseSharedNames(endpoints: readonly Endpoint[]): void {
  const owners = new Map<string, string>();
  for (const { family, resource } of endpoints) {
    const owner = owners.get(resource.name) ?? family;
    if (owner !== family)
      throw new Error(
        `The families ${owner} and ${family} both name a resource "${resource.name}"; rename one.`,
      );
    owners.set(resource.name, owner);
  }
}

function onlyReader({ id, resource }: Endpoint, endpoints: readonly Endpoint[]): Endpoint {
  const same = endpoints.filter((record) => record.resource.name === resource.name && !isWrite(record));
  for (const role of ['read', 'list'] as const) {
    const [reader, ...others] = same.filter((record) => record.resource.role === role);
    if (others.length > 0)
      throw new Error(
        `${id} waits for the resource "${resource.name}", but ${[reader, ...others].map((each) => each?.id).join(' and ')} have the role "${role}"; give all but one another resource name.`,
      );
    if (reader !== undefined) return reader;
  }
  throw new Error(`${id} waits for the resource "${resource.name}", which no endpoint reads or lists.`);
}

const membersOf = (schema: TSchema | null | undefined): Record<string, TSchema> =>
  (schema as { properties?: Record<string, TSchema> } | null | undefined)?.properties ?? {};

function shownBy({ resource, answers }: Endpoint): string[] {
  if (resource.role === 'read') return Object.keys(membersOf(answers[200]));
  return Object.keys(membersOf((membersOf(answers[200])['data'] as { items?: TSchema } | undefined)?.items));
}

function finalReadOf(endpoint: Endpoint, endpoints: readonly Endpoint[]): FinalRead {
  const reader = onlyReader(endpoint, endpoints);
  const idParam = /\{(\w+)\}$/.exec(reader.path)?.[1] ?? null;
  const outer = idParam === null ? `${reader.path}/` : reader.path.slice(0, reader.path.lastIndexOf('{'));
  if (outer.includes('{') && !`${endpoint.path}/`.startsWith(outer))
    throw new Error(
      `${endpoint.id} cannot fill the path of ${reader.id}, which reads its resource; begin its path with ${outer}.`,
    );
  const own = membersOf(endpoint.answers[202]);
  const missing = ['id', ...shownBy(reader)].filter((name) => !Object.hasOwn(own, name));
  if (missing.length > 0)
    throw new Error(
      `${endpoint.id} names the resource "${endpoint.resource.name}", but its answer has no ${missing.join(', ')}; name the resource that it answers.`,
    );
  return { reader, idParam };
}

/** By endpoint id, for all endpoints that answer 202 with a resource. */
export const collectFinalReads = (endpoints: readonly Endpoint[]): ReadonlyMap<string, FinalRead> =>
  new Map(
    endpoints
      .filter((record) => isAsync(record) && record.answers[202] != null && !isOperation(record.answers[202]))
      .map((record) => [record.id, finalReadOf(record, endpoints)]),
  );
