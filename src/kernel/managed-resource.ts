/**
 * What can be set about a resource, and by which calls: derived from the records that name it. Refused updates, the
 * marks of the OpenAPI document and the laws about them read it.
 */
import { pointerOf, readPlacesIn, valuesOf } from './member-marks.ts';
import type { Endpoint } from './record.ts';
import type { Reference } from './reference.ts';
import type { TObject, TSchema } from './schema.ts';

export interface Managed {
  readonly name: string;
  /** The resource as it is read. */
  readonly shape: TObject;
  /** The call that creates or declares it. */
  readonly creator: Endpoint;
  /** The call that changes or declares it, if there is one. */
  readonly updater: Endpoint | undefined;
  /** By member: the calls that change it although the update does not take it. */
  readonly changes: ReadonlyMap<string, ChangedBy>;
  /** By member that lists other resources: the calls of those that add this one or take it away. */
  readonly links: ReadonlyMap<string, ChangedBy>;
}

/** By endpoint id: the JSON Pointer of what decides the new value in the body of that call. */
export type ChangedBy = Readonly<Record<string, string>>;

type Members = Readonly<Record<string, TSchema>>;

export const membersOf = (schema: TSchema | null | undefined): Members =>
  (schema as { properties?: Members } | null | undefined)?.properties ?? {};

const itemsOf = (schema: TSchema | undefined): TSchema | undefined =>
  (schema as { items?: TSchema } | undefined)?.items;

const OF_ONE = ['read', 'update', 'declare', 'delete'];

/**
 * Whether the call is about a resource that the account, or the parent, has exactly once: its path does not name it, and
 * nobody creates it.
 */
export const isOfOnlyOne = ({
  resource,
  path,
  part,
}: Pick<Endpoint, 'resource' | 'path' | 'part'>): boolean =>
  part === undefined && OF_ONE.includes(resource.role) && !path.endsWith('}');

/** The path of one such resource, if calls have one: `/flexible-vps/v1/vms/{id}`. */
export const itemPath = (endpoints: readonly Endpoint[], name: string): string | undefined =>
  endpoints.find(
    ({ resource, path }) => resource.name === name && OF_ONE.includes(resource.role) && path.endsWith('}'),
  )?.path;

function shapeOf(name: string, creator: Endpoint, endpoints: readonly Endpoint[]): TSchema | undefined {
  if (creator.part !== undefined)
    return itemsOf(membersOf(creator.answers[202] ?? creator.answers[200])[creator.part.member]);
  const answers = (role: string) =>
    endpoints.find(({ resource }) => resource.name === name && resource.role === role)?.answers[200];
  return answers('read') ?? itemsOf(membersOf(answers('list'))['data']);
}

function changesOf(name: string, endpoints: readonly Endpoint[]): Map<string, ChangedBy> {
  const own = itemPath(endpoints, name);
  const found = new Map<string, ChangedBy>();
  for (const { id, path, changes = {} } of endpoints)
    if (own !== undefined && path.startsWith(`${own}/`))
      for (const [member, pointer] of Object.entries(changes))
        found.set(member, { ...found.get(member), [id]: pointer });
  return found;
}

/** By JSON Pointer: the resource that a member of the schema names. */
function referencesIn(schema: TSchema | undefined, endpoints: readonly Endpoint[]): [string, string][] {
  const marks = schema === undefined ? [] : (valuesOf(schema, 'x-ref') as [string, Reference][]);
  return marks.flatMap(([pointer, { list }]): [string, string][] => {
    const lister = endpoints.find(({ id }) => id === list);
    return lister === undefined ? [] : [[pointer, lister.resource.name]];
  });
}

/**
 * A creation may name resources that others add later by calls of those: the volumes of a machine are attached by an
 * action of the volume, whose body names the machine.
 */
function linksOf(name: string, creator: Endpoint, endpoints: readonly Endpoint[]): Map<string, ChangedBy> {
  const found = new Map<string, ChangedBy>();
  for (const [pointer, other] of referencesIn(creator.body, endpoints)) {
    const [, member = '', item, ...deeper] = pointer.split('/');
    const own = itemPath(endpoints, other);
    if (item !== '*' || deeper.length > 0 || own === undefined) continue;
    for (const { id, path, body } of endpoints) {
      const [back] = path.startsWith(`${own}/`)
        ? referencesIn(body, endpoints).filter(([, each]) => each === name)
        : [];
      if (back !== undefined) found.set(member, { ...found.get(member), [id]: back[0] });
    }
  }
  return found;
}

/** The name and the role that the specification shows: those of the part that the call adds or removes, if any. */
export const subjectOf = ({ resource, part }: Pick<Endpoint, 'resource' | 'part'>) => part ?? resource;

/** The resource of this name; undefined if no call creates or declares such resources. */
export function managedResource(name: string, endpoints: readonly Endpoint[]): Managed | undefined {
  const by = (...roles: string[]) =>
    endpoints.find((each) => subjectOf(each).name === name && roles.includes(subjectOf(each).role));
  const creator = by('create', 'declare');
  const shape = creator && shapeOf(name, creator, endpoints);
  if (creator === undefined || shape === undefined) return undefined;
  const updater = by('update', 'declare');
  return {
    name,
    shape: shape as TObject,
    creator,
    updater,
    changes: changesOf(name, endpoints),
    links: linksOf(name, creator, endpoints),
  };
}

export function managedResources(endpoints: readonly Endpoint[]): Managed[] {
  const names = new Set(endpoints.map((each) => subjectOf(each).name));
  return [...names].flatMap((name) => managedResource(name, endpoints) ?? []);
}

/** The members of the resource that show this member of a request: those it is read as, or the one with its name. */
export function shownAs({ shape }: Managed, name: string, schema: TSchema): string[] {
  const marked = [...readPlacesIn(schema).values()].map((place) => pointerOf(place).split('/')[1] ?? '');
  const own = Object.hasOwn(shape.properties, name) ? [name] : [];
  return [...new Set([...own, ...marked])];
}

/** The update, if another of its members sets this member of the resource, such as the one that is its hash. */
function setElsewhere({ updater }: Managed, name: string): ChangedBy {
  if (updater?.body === undefined || Object.hasOwn(membersOf(updater.body), name)) return {};
  const places = [...readPlacesIn(updater.body)];
  const [pointer] = places.find(([, place]) => pointerOf(place).split('/')[1] === name) ?? [];
  return pointer === undefined ? {} : { [updater.id]: pointer };
}

/** The calls that change a member of the resource or of the request that creates it; empty if none does. */
export function changedBy(managed: Managed, name: string): ChangedBy {
  const { creator, changes, links } = managed;
  const schema = membersOf(creator.body)[name];
  const shown = schema === undefined ? [] : shownAs(managed, name, schema);
  return Object.assign(
    setElsewhere(managed, name),
    ...[...shown, name].map((each) => changes.get(each) ?? links.get(each) ?? {}),
  );
}
