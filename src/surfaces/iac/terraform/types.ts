/** The type of a variable, and what its value becomes in the body of a request. */
import type { Member } from '../inputs.ts';
import { assign, braces, literal } from './hcl.ts';

const scalars = { string: 'string', integer: 'number', number: 'number', boolean: 'bool' } as const;

export function typeOf({ type }: Member): string {
  if (type.kind === 'list') return `list(${typeOf(type.items)})`;
  if (type.kind === 'map') return `map(${typeOf(type.values)})`;
  if (type.kind !== 'object') return scalars[type.kind];
  return `object(${braces(type.members.map((member) => assign(member.name, attributeType(member))))})`;
}

function attributeType(member: Member): string {
  const type = typeOf(member);
  if (member.required) return type;
  return member.default === undefined ? `optional(${type})` : `optional(${type}, ${literal(member.default)})`;
}

/** The value can be null, which means that it is left out. */
export const isOptional = (member: Member): boolean => !member.required && member.default === undefined;

/** A secret inside an object is marked where it is used, so that the rest of the object is shown in plans. */
const hides = (member: Member): boolean =>
  member.type.kind === 'object' && member.type.members.some(({ secret }) => secret);

/** Whether nulls have to be removed from the value before it is sent. */
function hasGaps({ type }: Member): boolean {
  if (type.kind === 'list') return hasGaps(type.items);
  if (type.kind !== 'object') return false;
  return type.members.some((member) => isOptional(member) || hasGaps(member));
}

const withoutNulls = (source: string): string =>
  `{ for name, value in ${source} : name => value if value != null }`;

/** The expression for the value at `from` as the API takes it: without members that are null. */
export function sentValue(member: Member, from: string): string {
  if (!hasGaps(member)) return from;
  const { type } = member;
  if (type.kind === 'list') return `[for item in ${from} : ${sentValue(type.items, 'item')}]`;
  if (type.kind !== 'object') return from;
  const sent = hides(member) ? withHidden(type.members, from) : sentMembers(type.members, from);
  return isOptional(member) ? `${from} == null ? null : ${sent}` : sent;
}

function sentMembers(members: readonly Member[], from: string): string {
  if (!members.some(hasGaps)) return withoutNulls(from);
  return withoutNulls(
    braces(members.map((member) => assign(member.name, sentValue(member, `${from}.${member.name}`)))),
  );
}

function withHidden(members: readonly Member[], from: string): string {
  const hidden = members.filter(({ secret }) => secret);
  const others = members.filter(({ secret }) => !secret);
  const parts = [
    `${withoutNulls(braces(others.map((member) => assign(member.name, sentValue(member, `${from}.${member.name}`)))))},`,
    ...hidden.map(({ name }) => `${from}.${name} == null ? {} : { ${name} = sensitive(${from}.${name}) },`),
  ];
  return braces(parts, 'merge(', ')');
}
