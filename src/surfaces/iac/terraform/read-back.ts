/** How the provider `restful` reads a resource: the path, and a selector (gjson) that gives the answer the shape of the request. */
import { MISSING_MARKED } from '../../../pipeline/prefer.ts';
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import type { ReadAs } from '../schemas.ts';
import { assign } from './hcl.ts';
import { isOptional } from './types.ts';
import { moduleInputs } from './variables.ts';

/** `/source/id` → `source.id`. */
const pathOf = (pointer: string): string => pointer.slice(1).replaceAll('/', '.');

function valueAt(readAs: ReadAs): string | undefined {
  if (typeof readAs === 'string') return readAs.includes('*') ? undefined : pathOf(readAs);
  if ('present' in readAs) return `[[@this].#(${pathOf(readAs.present)}!=~null).!true,!false]|0`;
  return undefined;
}

const isMoved = ({ readAs, type }: Member): boolean =>
  readAs !== undefined || (type.kind === 'object' && type.members.some(isMoved));

/** The gjson expression for the member, as a part of an object; undefined if the answer does not show it. */
function shownMember(member: Member, at: string): string | undefined {
  const { name, type, readAs, writeOnly } = member;
  if (writeOnly) return undefined;
  const path = at === '' ? name : `${at}.${name}`;
  if (readAs !== undefined) {
    const value = valueAt(readAs);
    return value === undefined ? undefined : `"${name}":${value}`;
  }
  if (type.kind !== 'object' || !isMoved(member)) return `"${name}":${path}`;
  const parts = type.members.flatMap((each) => shownMember(each, path) ?? []);
  return `"${name}":{${parts.join(',')}}`;
}

/** A value that the answer shows under the same name, or that the selector below puts there. */
export function isShown({ writeOnly, readAs, change }: Member): boolean {
  if (writeOnly || readAs === undefined) return !writeOnly;
  return change !== 'once' && valueAt(readAs) !== undefined;
}

/** Members that the answer has in another place, as an object in which they are where the request has them. */
function movedMembers(resource: ManagedResource): string[] {
  const moved = moduleInputs(resource)
    .filter((input) => input.change !== 'once' && isMoved(input))
    .flatMap((input) => shownMember(input, '') ?? []);
  return moved.length === 0 ? [] : [`{${moved.join(',')}}`];
}

/** The answer with the members of these objects. */
const joined = (objects: readonly string[]): string =>
  objects.length === 0 ? '' : `[${['@this', ...objects].join(',')}]|@join`;

/** The member that only the answer about something that does not exist has. */
export const GONE = 'gone';

/**
 * On cores without resource identities, the provider ends with an error if a read is answered with 404. So the modules
 * ask for a mark instead, which is one more reason to replace the resource.
 */
export const MARKED = assign('read_header', `{ Prefer = "errors=text, ${MISSING_MARKED}" }`);

/** A member of every body that is no list. */
function surelySent(resource: ManagedResource): string {
  const isFit = (input: Member): boolean =>
    !isOptional(input) && input.type.kind !== 'list' && !isMoved(input);
  const inputs = moduleInputs(resource).filter(({ name }) => !resource.isDeclared || name !== resource.key);
  const found = inputs.find(isFit);
  if (found === undefined) throw new Error(`No input of ${resource.name} can show that it is gone.`);
  return found.name;
}

const itemOf = ({ read, key: member }: ManagedResource, key: string): string =>
  `${pathOf(read.in ?? '')}.#(${member}=="${key}")`;

/** Selects the resource in the answer; `key` is the value that names it. Empty if the answer is the resource as it is. */
export function selectorOf(resource: ManagedResource, key: string): string {
  const shape = joined(movedMembers(resource));
  if (resource.read.in === undefined) return shape;
  const item = itemOf(resource, key);
  return shape === '' ? item : `${item}.${shape}`;
}

/**
 * The same, or the mark. The provider keeps a member that the body lacks only if the answer does not fit the types of
 * the body, so the mark, which is a list, also takes the place of a member that is none.
 */
export function markedSelectorOf(resource: ManagedResource, key: string): string {
  const shape = joined([...movedMembers(resource), `{"${surelySent(resource)}":${GONE}}`]);
  if (resource.read.in === undefined) return shape;
  // The key is kept, because the path of the deletion has it.
  const mark = `{"${resource.key}":"${key}","${GONE}":["not_found"]}`;
  return `[${itemOf(resource, key)},!${mark}]|0|${shape}`;
}
