/** How the provider `restful` reads a resource: the path, and a selector (gjson) that gives the answer the shape of the request. */
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import type { ReadAs } from '../schemas.ts';
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

/** Members that the answer has in another place are put where the request has them. */
function reshaping(resource: ManagedResource): string {
  const moved = moduleInputs(resource)
    .filter((input) => input.change !== 'once' && isMoved(input))
    .flatMap((input) => shownMember(input, '') ?? []);
  return moved.length === 0 ? '' : `[@this,{${moved.join(',')}}]|@join`;
}

/** Selects the resource in the answer; `key` is the value that names it. Empty if the answer is the resource as it is. */
export function selectorOf(resource: ManagedResource, key: string): string {
  const { read } = resource;
  const shape = reshaping(resource);
  if (read.in === undefined) return shape;
  const item = `${pathOf(read.in)}.#(${resource.key}=="${key}")`;
  return shape === '' ? item : `${item}.${shape}`;
}
