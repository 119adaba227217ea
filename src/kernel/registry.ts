/** All families and their records. Duplicates throw at start, because two records for one call are a bug. */
import type { Db } from '../store/database.ts';
import type { Guarded } from './access/caller.ts';
import type { Permission } from './access/permissions.ts';
import type { ChangeWords } from './change-words/change-words.ts';
import type { ConsoleSession } from './consoles.ts';
import type { Download } from './downloads/download.ts';
import type { EventType } from './events/event.ts';
import { collectFinalReads, type FinalRead, refuseSharedNames } from './final-reads.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Kind } from './operations/kind.ts';
import { type Endpoint, isAsyncCreate, isWrite } from './record.ts';
import type { Schedule } from './schedule.ts';
import { hasSecret } from './serialise.ts';
import type { Services } from './services.ts';

declare module './services.ts' {
  interface Services {
    readonly registry: Registry;
  }
}

/** A type of resource that the family keeps. Each is declared beside its endpoints; the family only lists it. */
export interface Resource {
  readonly type: string;
  /** The name in sentences: `machine`. Default: the type, with spaces. */
  readonly words?: string;
  /** The permission to see events about such resources. By default it is the permission of the read or list endpoint. */
  readonly permission?: Permission;
  /**
   * The path that reads one, for the inventory: `/flexible-vps/v1/vms/{id}`. A parent resource in the path is written
   * `{parent_id}`. Needs `permission`.
   */
  readonly path?: string;
  /** The id of the limit in the provider's catalogue that counts resources of this type. */
  readonly limit?: string;
  /** It can be stopped, and then has another price. */
  readonly stops?: boolean;
  /** The priced type that sets its price, if that is not its own type. For a part of another resource: that resource. */
  readonly pricedAs?: string;
  readonly eventTypes?: readonly EventType[];
}

/** A type of resource that customers own, for the inventory and the visibility filter. */
export interface ResourceType {
  readonly type: string;
  readonly permission: Permission;
  readonly path: string;
  readonly limit?: string;
  readonly stops: boolean;
  readonly family: string;
}

export interface Examination {
  readonly name: string;
  readonly detail: string;
  /** What the operator should do; absent if the check found no fault. */
  readonly fix?: string;
}

/** What a resource is for, for people who read the reference. */
export interface Topic {
  readonly title: string;
  /** One sentence. */
  readonly purpose: string;
}

export interface Family {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
  /** By `resource.name` of the endpoints: what each resource is for, in the order of the reference. */
  readonly topics?: Readonly<Record<string, Topic>>;
  readonly resources?: readonly Resource[];
  /** By resource type: how dry runs describe its changes, if generic words are not enough. */
  readonly changeWords?: Readonly<Record<string, ChangeWords>>;
  /** Kinds that no endpoint starts directly: children, schedules, approvals. */
  readonly kinds?: readonly Kind[];
  readonly schedules?: readonly Schedule[];
  readonly lifecycles?: readonly Lifecycle[];
  /** Finds the console session that the token belongs to; null if this family has no such session. */
  findConsole?(services: Services, sessionId: string, token: string): Promise<ConsoleSession | null>;
  /** The file of a resource to which this family makes links; null if it is not one of the family, or is gone. */
  findDownload?(services: Services, resourceId: string): Promise<Download | null>;
  /** Started with the worker: watches engines for changes that no call caused. Returns a function that stops it. */
  watch?(services: Services): () => Promise<void>;
  /** The checks that `hostplane admin doctor` runs for this family: one entry per check. */
  examine?(db: Db): Promise<readonly Examination[]>;
  /** What `hostplane admin recount` computes again for this family. Returns the accounts where it was wrong. */
  recount?(db: Db): Promise<readonly string[]>;
}

/** The family of a resource that events and operations refer to, and the permission to read it. */
export interface Subject {
  readonly family: string;
  readonly permission: Permission;
}

export interface Registry {
  readonly families: readonly Family[];
  readonly endpoints: readonly Endpoint[];
  readonly resourceTypes: ReadonlyMap<string, ResourceType>;
  readonly eventTypes: ReadonlyMap<string, EventType & { readonly family: string }>;
  /** By resource type: its name in sentences, if that is not the type. */
  readonly nouns: ReadonlyMap<string, string>;
  /** By resource type: how dry runs describe its changes, if generic words are not enough. */
  readonly changeWords: ReadonlyMap<string, ChangeWords>;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** The kinds that calls start which can add cost. */
  readonly costlyKinds: ReadonlySet<string>;
  /** The ids of the endpoints whose calls leave an audit entry: all that write, and those that answer with a secret. */
  readonly audited: ReadonlySet<string>;
  /** By endpoint id: how a call that waits reads its resource again. */
  readonly finalReads: ReadonlyMap<string, FinalRead>;
  readonly schedules: readonly Schedule[];
  /** By resource type. A key that may read or list the resource may see its events and operations. */
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly permissions: readonly Permission[];
  readonly sensitive: ReadonlySet<Permission>;
  /** The index of a record in `endpoints`. Decisions per key are cached in arrays with this index. */
  indexOf(endpoint: Guarded): number;
}

function refuseDuplicates(what: string, values: readonly string[]): void {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) throw new Error(`Two records share the ${what} "${value}"; each must be unique.`);
    seen.add(value);
  }
}

function collectKinds(families: readonly Family[]): Map<string, Kind> {
  const kinds = families.flatMap(({ endpoints, kinds = [] }) => [
    ...endpoints.flatMap(({ operation }) => operation ?? []),
    ...kinds,
  ]);
  const distinct = [...new Set(kinds)];
  refuseDuplicates(
    'kind of operation',
    distinct.map(({ type }) => type),
  );
  return new Map(distinct.map((kind) => [kind.type, kind]));
}

/** What every call that creates a resource with an operation promises needs these parts of the kind and the answer. */
function refuseIncompleteCreates(endpoints: readonly Endpoint[]): void {
  for (const { id, operation, answers } of endpoints.filter(isAsyncCreate)) {
    const members = (answers[202] as { properties?: object } | null | undefined)?.properties ?? {};
    if (operation?.erase === undefined || operation.provisions === undefined)
      throw new Error(`${id} creates a resource: set \`erase\` and \`provisions\` of ${operation?.type}.`);
    if (!Object.hasOwn(members, 'provisioned_at'))
      throw new Error(`${id} creates a resource: show its provisioned_at in the answer.`);
  }
}

/** The resources that the inventory lists. */
function collectTypes(families: readonly Family[]): Map<string, ResourceType> {
  const types = families.flatMap(({ name: family, resources = [] }) =>
    resources.flatMap(({ type, permission, path, limit, stops = false }): ResourceType[] =>
      permission === undefined || path === undefined
        ? []
        : [{ type, permission, path, family, stops, ...(limit === undefined ? {} : { limit }) }],
    ),
  );
  return new Map(types.map((type) => [type.type, type]));
}

function collectSubjects(families: readonly Family[]): Map<string, Subject> {
  const subjects = new Map<string, Subject>();
  for (const { name: family, endpoints, resources = [] } of families) {
    for (const { type, permission } of resources)
      if (permission !== undefined) subjects.set(type, { family, permission });
    for (const { resource, permission } of endpoints) {
      const reads = resource.role === 'read' || resource.role === 'list';
      if (reads && !subjects.has(resource.name)) subjects.set(resource.name, { family, permission });
    }
  }
  return subjects;
}

export function buildRegistry(families: readonly Family[]): Registry {
  const endpoints = families.flatMap((family) => family.endpoints);
  for (const family of families) {
    const stray = family.endpoints.find((record) => record.family !== family.name);
    if (stray)
      throw new Error(`${stray.id} has the path ${stray.path} but stands in the family ${family.name}.`);
  }
  refuseDuplicates(
    'id',
    endpoints.map((record) => record.id),
  );
  refuseDuplicates(
    'summary',
    endpoints.map((record) => record.summary),
  );
  refuseDuplicates(
    'call',
    endpoints.map((record) => `${record.method} ${record.path.replaceAll(/\{\w+\}/g, '{}')}`),
  );
  refuseSharedNames(endpoints);
  refuseIncompleteCreates(endpoints);
  const places = new Map<Guarded, number>(endpoints.map((record, i) => [record, i]));
  refuseDuplicates(
    'resource type',
    families.flatMap(({ resources = [] }) => resources.map(({ type }) => type)),
  );
  const eventTypes = families.flatMap(({ name: family, resources = [] }) =>
    resources.flatMap((resource) => (resource.eventTypes ?? []).map((type) => ({ ...type, family }))),
  );
  refuseDuplicates(
    'event type',
    eventTypes.map(({ type }) => type),
  );
  return {
    families,
    endpoints,
    resourceTypes: collectTypes(families),
    eventTypes: new Map(eventTypes.map((type) => [type.type, type])),
    nouns: new Map(
      families.flatMap(({ resources = [] }) =>
        resources.flatMap(({ type, words }) => (words === undefined ? [] : [[type, words] as const])),
      ),
    ),
    changeWords: new Map(families.flatMap(({ changeWords = {} }) => Object.entries(changeWords))),
    kinds: collectKinds(families),
    costlyKinds: new Set(
      endpoints.flatMap(({ raisesCost, operation }) =>
        raisesCost === undefined || operation === undefined ? [] : [operation.type],
      ),
    ),
    audited: new Set(
      endpoints
        .filter((record) => isWrite(record) || Object.values(record.answers).some(hasSecret))
        .map(({ id }) => id),
    ),
    finalReads: collectFinalReads(endpoints),
    schedules: families.flatMap(({ schedules = [] }) => schedules),
    subjects: collectSubjects(families),
    permissions: [...new Set(endpoints.map((record) => record.permission))].sort(),
    sensitive: new Set(endpoints.filter((record) => record.sensitive).map((record) => record.permission)),
    indexOf: (record) => places.get(record) ?? -1,
  };
}
