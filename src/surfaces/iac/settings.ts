/**
 * Members of a resource that name another resource and can be set and taken away alone: the machine of a volume, the ISO
 * in the drive of a machine, its backup policy. Each is a module of its own, so that a file can connect two resources
 * without owning either.
 */
import type { Entry, Resolver } from '../openapi/resolved.ts';
import { actionOn } from './actions.ts';
import { bodyOf, type Call } from './calls.ts';
import { type Member, memberOf } from './inputs.ts';
import type { ManagedResource } from './managed.ts';
import { membersOf, type Plain } from './schemas.ts';

export interface Setting {
  readonly name: string;
  readonly title: string;
  /** The resource that has the member. */
  readonly of: ManagedResource;
  readonly member: Member;
  readonly call: Call;
  /** What the request has beside the member. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** The request that takes the value away. */
  readonly clear: Readonly<Record<string, unknown>>;
  /** What an update sends to take the value from another resource that has it. */
  readonly moves: boolean;
  /** Where the resource shows the value: `iso.iso_id`. */
  readonly shownAt: string;
  readonly permissions: readonly string[];
}

interface Source {
  /** The resource, as it is read. */
  readonly shown: Plain;
  readonly lists: Readonly<Record<string, string>>;
  readonly byId: ReadonlyMap<string, Entry>;
  readonly resolver: Resolver;
}

/** The opposite of an action, if the same call has it: `attach` and `detach`. */
const opposites: Readonly<Record<string, string>> = { attach: 'detach' };

function clearOf(
  name: string,
  member: Plain,
  fixed: Readonly<Record<string, unknown>>,
  body: Plain,
): Setting['clear'] | undefined {
  const [[decider, value] = []] = Object.entries(fixed);
  if (decider === undefined) return member.nullable === true ? { [name]: null } : undefined;
  const opposite = opposites[String(value)];
  const { enum: values = [] } = membersOf(body)[decider] ?? {};
  return opposite !== undefined && values.includes(opposite) ? { [decider]: opposite } : undefined;
}

/** Where the resource shows what the call sets: in the member itself, or inside it under the name that the call uses. */
const placeOf = (shownAs: string, name: string, shown: Plain): string =>
  membersOf(membersOf(shown)[shownAs] ?? {})[name] === undefined ? shownAs : `${shownAs}.${name}`;

export function settingsOf(resource: ManagedResource, { shown, lists, byId, resolver }: Source): Setting[] {
  const updater = byId.get(resource.update?.id ?? '');
  const itemPath = resource.delete.path;
  const updated = updater === undefined ? {} : membersOf(bodyOf(updater, resolver));
  const places = [
    ...Object.keys(updated).map((name) => ({ name, shownAs: name, entry: updater })),
    ...Object.entries(membersOf(shown)).flatMap(([shownAs, { 'x-changed-by': by = {} }]) =>
      Object.entries(by).map(([id, pointer]) => ({ name: pointer.slice(1), shownAs, entry: byId.get(id) })),
    ),
  ];
  return places.flatMap(({ name, shownAs, entry }) => {
    if (entry === undefined || !entry.path.startsWith(itemPath)) return [];
    const body = bodyOf(entry, resolver);
    const member = membersOf(body)[name];
    const target = lists[member?.['x-ref']?.list ?? ''];
    const action = actionOn(entry, name, resolver);
    if (member === undefined || target === undefined || action === undefined) return [];
    const { fixed, call } = action;
    const clear = clearOf(name, member, fixed, body);
    if (clear === undefined) return [];
    const isAttached = Object.values(fixed).includes('attach');
    return {
      name: isAttached ? `${resource.name}_attachment` : `${resource.name}_${target}`,
      title: `The ${target.replaceAll('_', ' ')} of a ${resource.name.replaceAll('_', ' ')}`,
      of: resource,
      member: { ...memberOf(member, { name, required: true, change: 'update' }) },
      call,
      fixed,
      clear,
      moves: membersOf(body)['move']?.type === 'boolean',
      shownAt: placeOf(shownAs, name, shown),
      permissions: [...new Set([call.permission, resource.read.permission, ...followed(call, byId)])].sort(),
    };
  });
}

/** A call that starts an operation is followed by reading that. */
function followed({ startsOperation, mayStartOperation }: Call, byId: ReadonlyMap<string, Entry>): string[] {
  const reader = byId.get('getOperation');
  return (startsOperation || mayStartOperation) && reader !== undefined
    ? [reader.operation['x-permission']]
    : [];
}
