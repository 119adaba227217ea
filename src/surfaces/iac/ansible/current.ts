/** A Jinja expression for what a resource is now, in the shape of the request that creates it. */
import type { Input, Member } from '../inputs.ts';

const quoted = (text: string): string => `'${text}'`;

/** `/source/id` as `hostplane_base.source.id`; an asterisk gives a list of all values. */
function valueAt(pointer: string): string {
  const [before = '', after] = pointer.split('/*/');
  const place = `hostplane_base${before.replaceAll('/', '.')}`;
  return after === undefined
    ? `${place} | default(none)`
    : `${place} | default([], true) | map(attribute='${after.replaceAll('/', '.')}') | list`;
}

/** Whether this member, or one inside it, is read under another name. */
const isMoved = ({ readAs, type }: Member): boolean =>
  readAs !== undefined || (type.kind === 'object' && type.members.some(isMoved));

function expressionOf(member: Member, at: string): string {
  const { readAs, type } = member;
  if (typeof readAs === 'string') return valueAt(readAs);
  if (readAs !== undefined)
    return 'present' in readAs ? `(${valueAt(readAs.present)}) is not none` : valueAt(readAs.sha256);
  if (type.kind !== 'object' || !isMoved(member)) return valueAt(at);
  const shown = type.members.filter((each) => !each.writeOnly || each.readAs !== undefined);
  const parts = shown.map((each) => `${quoted(each.name)}: ${expressionOf(each, `${at}/${each.name}`)}`);
  return `{${parts.join(', ')}}`;
}

/** Whether an answer shows what was sent beside other values, such as the networks of a machine beside later ones. */
export const isShownBesideOthers = (member: Member): boolean => {
  const { readAs, type } = member;
  if (typeof readAs === 'string')
    return readAs.includes('*') || type.kind === 'list' || type.kind === 'object';
  return type.kind === 'object' && type.members.some(isShownBesideOthers);
};

/** Inputs that can be compared with an answer. The others are used once, or no answer shows them. */
export const isComparable = ({ change, writeOnly, readAs }: Input): boolean =>
  change !== 'once' && (!writeOnly || readAs !== undefined);

interface Compared {
  /** The member that decides which others there are; empty if there is none. */
  readonly by: string;
  /** By the value of that member: the members that an answer shows. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

/** What can be compared inside of an object; undefined if that is all of it. */
export function comparedIn({ type }: Input): Compared | undefined {
  if (type.kind !== 'object') return undefined;
  const shown = type.members.filter((each) => !each.writeOnly || each.readAs !== undefined);
  const names = shown.map(({ name }) => name);
  if (type.choice === undefined)
    return names.length === type.members.length ? undefined : { by: '', members: { '': names } };
  const { by, cases } = type.choice;
  const members = cases.map(({ value, allowed }) => [
    value,
    names.filter((name) => name === by || allowed.includes(name)),
  ]);
  return { by, members: Object.fromEntries(members) };
}

export function currentExpression(inputs: readonly Input[]): string {
  const parts = inputs
    .filter(isComparable)
    .map((input) => `${quoted(input.name)}: ${expressionOf(input, `/${input.name}`)}`);
  return `{{ {${parts.join(',\n    ')}} }}`;
}
