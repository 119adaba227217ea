/** All records, in the order of the families. Refuses duplicates at start: two records for one call is a bug, not a choice. */

import type { Db } from '../store/database.ts';
import type { Guarded } from './access/caller.ts';
import type { Permission } from './access/permissions.ts';
import type { ConsoleLine } from './consoles.ts';
import type { EventType } from './events/event.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Kind } from './operations/kind.ts';
import type { Endpoint } from './record.ts';
import type { Schedule } from './schedule.ts';
import type { Services } from './services.ts';

declare module './services.ts' {
  interface Services {
    readonly registry: Registry;
  }
}

/** A kind of thing that the family keeps. Each stands beside its endpoints; the family only lists it. */
export interface Resource {
  readonly type: string;
  /** Events about such things are shown to keys with this permission; by default with that of its read or list. */
  readonly permission?: Permission;
  /** The path of one in the inventory: `/flexible-vps/v1/vms/{id}`, below another as `{parent_id}`. Needs `permission`. */
  readonly path?: string;
  /** The limit of the provider's catalogue that counts these. */
  readonly limit?: string;
  readonly eventTypes?: readonly EventType[];
}

/** A kind of thing that customers own, as the inventory and the visibility filter know it. */
export interface ResourceType {
  readonly type: string;
  readonly permission: Permission;
  readonly path: string;
  readonly limit?: string;
  readonly family: string;
}

export interface Examination {
  readonly name: string;
  readonly detail: string;
  /** Left out while all is well. */
  readonly fix?: string;
}

export interface Family {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
  readonly resources?: readonly Resource[];
  /** Those that no endpoint starts by itself: children, schedules, approvals. */
  readonly kinds?: readonly Kind[];
  readonly schedules?: readonly Schedule[];
  readonly lifecycles?: readonly Lifecycle[];
  /** Lets the bearer of a token onto the console it was given for; null where the family knows no such session. */
  openConsole?(services: Services, sessionId: string, token: string): Promise<ConsoleLine | null>;
  /** Begun with the worker: hears of what happens by itself. Returns what ends it. */
  watch?(services: Services): () => Promise<void>;
  /** What an operator should see to, for `doctor`: one entry for each thing that is looked at. */
  examine?(db: Db): Promise<readonly Examination[]>;
  /** What is used of the limits that count something else than resources. */
  countLimits?(db: Db, accountId: string): Promise<ReadonlyMap<string, number>>;
}

/** What events and operations are about, and the permission to read it. */
export interface Subject {
  readonly family: string;
  readonly permission: Permission;
}

export interface Registry {
  readonly families: readonly Family[];
  readonly endpoints: readonly Endpoint[];
  readonly resourceTypes: ReadonlyMap<string, ResourceType>;
  readonly eventTypes: ReadonlyMap<string, EventType & { readonly family: string }>;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly schedules: readonly Schedule[];
  /** By the name of the resource: whoever may read or list it may hear of it. */
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly permissions: readonly Permission[];
  readonly sensitive: ReadonlySet<Permission>;
  /** The place of a record in `endpoints`: per-key decisions are kept in arrays. */
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

/** The resources that the inventory lists. */
function collectTypes(families: readonly Family[]): Map<string, ResourceType> {
  const types = families.flatMap(({ name: family, resources = [] }) =>
    resources.flatMap(({ type, permission, path, limit }): ResourceType[] =>
      permission === undefined || path === undefined
        ? []
        : [{ type, permission, path, family, ...(limit === undefined ? {} : { limit }) }],
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
    kinds: collectKinds(families),
    schedules: families.flatMap(({ schedules = [] }) => schedules),
    subjects: collectSubjects(families),
    permissions: [...new Set(endpoints.map((record) => record.permission))].sort(),
    sensitive: new Set(endpoints.filter((record) => record.sensitive).map((record) => record.permission)),
    indexOf: (record) => places.get(record) ?? -1,
  };
}
