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

/** A kind of thing that customers own, as the inventory and the visibility filter know it. */
export interface ResourceType {
  readonly type: string;
  readonly permission: Permission;
  /** Where one is read: `/flexible-vps/v1/vms/{id}`; below another as `{parent_id}`. */
  readonly path: string;
  /** The limit of the provider's catalogue that counts these. */
  readonly limit?: string;
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
  readonly resourceTypes?: readonly ResourceType[];
  readonly eventTypes?: readonly EventType[];
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
  readonly resourceTypes: ReadonlyMap<string, ResourceType & { readonly family: string }>;
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

function collectSubjects(families: readonly Family[]): Map<string, Subject> {
  const subjects = new Map<string, Subject>();
  for (const { name: family, endpoints, resourceTypes = [] } of families) {
    for (const { type, permission } of resourceTypes) subjects.set(type, { family, permission });
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
  const types = families.flatMap((family) =>
    (family.resourceTypes ?? []).map((type) => [type.type, { ...type, family: family.name }] as const),
  );
  const eventTypes = families.flatMap((family) =>
    (family.eventTypes ?? []).map((type) => ({ ...type, family: family.name })),
  );
  refuseDuplicates(
    'event type',
    eventTypes.map(({ type }) => type),
  );
  return {
    families,
    endpoints,
    resourceTypes: new Map(types),
    eventTypes: new Map(eventTypes.map((type) => [type.type, type])),
    kinds: collectKinds(families),
    schedules: families.flatMap(({ schedules = [] }) => schedules),
    subjects: collectSubjects(families),
    permissions: [...new Set(endpoints.map((record) => record.permission))].sort(),
    sensitive: new Set(endpoints.filter((record) => record.sensitive).map((record) => record.permission)),
    indexOf: (record) => places.get(record) ?? -1,
  };
}
