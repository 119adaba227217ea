/** Other values for the inputs of a resource, made from what the document says about each input. */
import { callNames } from '../engines/compute/sandbox/faults.ts';
import { isComparable } from '../surfaces/iac/ansible/current.ts';
import type { Input, Member } from '../surfaces/iac/inputs.ts';
import type { ManagedResource } from '../surfaces/iac/managed.ts';

export type Members = Readonly<Record<string, unknown>>;

/** One resource that Ansible manages. */
export interface Subject {
  readonly resource: ManagedResource;
  /** What the role is given, by input. */
  readonly given: Members;
}

/**
 * Inputs for which the law has no second value: they refer to other resources or to addresses of a network, exclude
 * another input or need one, or can have one value only.
 */
export const UNTRIED = [
  'budget currency',
  'vm custom_size',
  'vm placement_group_id',
  'vm backup_policy_id',
  'interface alias_ips',
  'vpn_peer routed_cidrs',
];

/** The calls of the sandbox that bring something into being: those with a counterpart that removes it. */
export const creatingCalls = callNames.filter((call) =>
  callNames.some((other) => other !== call && other.replace(/^remove/, 'ensure') === call),
);

const isDecimal = (pattern = ''): boolean =>
  new RegExp(pattern).test('50.00') && !new RegExp(pattern).test('x');

const DAY_MS = 86_400_000;

/** A time in the future, a day after this one. */
export const laterThan = (time?: string): string =>
  new Date(Math.max(Date.now(), Date.parse(time ?? '') || 0) + DAY_MS).toISOString();

function anotherText(
  { limits: { enum: choices, pattern, format }, ref }: Member,
  value: unknown,
): string | undefined {
  if (choices !== undefined) return choices.map(String).find((each) => each !== value);
  if (pattern !== undefined && isDecimal(pattern)) return (Number(value ?? 0) + 1).toFixed(2);
  if (pattern !== undefined || ref !== undefined) return undefined;
  if (format === 'date-time') return laterThan(typeof value === 'string' ? value : undefined);
  return `${value ?? 'value'}-2`;
}

const isOneOf = ({ limits }: Member): boolean => limits.enum !== undefined;

/** A value that the API takes, other than this one; undefined if the document does not say enough to make one. */
export function another(member: Member, value: unknown): unknown {
  const { type } = member;
  switch (type.kind) {
    case 'boolean':
      return value !== true;
    case 'integer':
    case 'number':
      return value === undefined ? undefined : Number(value) + 1;
    case 'string':
      return anotherText(member, value);
    case 'map':
      // Without the first label that there was, and with a new one.
      return { ...Object.fromEntries(Object.entries((value ?? {}) as Members).slice(1)), another: 'value' };
    case 'list':
      return Array.isArray(value) && value.length > 1 ? value.slice(0, -1) : undefined;
    default: {
      if (type.choice !== undefined) return undefined;
      const old = (value ?? {}) as Members;
      const isThere = ({ name }: Member): boolean => name in old;
      // One of several names, such as a frequency, may need other members than the present one, so it comes last.
      const byEnum = type.members.toSorted((a, b) => Number(isOneOf(a)) - Number(isOneOf(b)));
      const kept = Object.fromEntries(
        type.members.flatMap(({ name, required }) => (required && name in old ? [[name, old[name]]] : [])),
      );
      for (const inner of [...byEnum.filter(isThere), ...byEnum]) {
        const changed = another(inner, old[inner.name]);
        if (changed !== undefined) return { ...kept, [inner.name]: changed };
      }
      return undefined;
    }
  }
}

/** A value that is never sent, because the role refuses before: only its type has to be right. */
export function anything(member: Member, value: unknown): unknown {
  const valid = another(member, value);
  if (valid !== undefined) return valid;
  if (member.type.kind === 'string') return `${value ?? ''}2`;
  if (member.type.kind !== 'object') return undefined;
  const inside = (value ?? {}) as Members;
  const changed = Object.entries(inside).find(
    ([name, each]) => typeof each === 'string' && name !== member.type.kind && !isDecider(member, name),
  );
  return changed === undefined ? undefined : { ...inside, [changed[0]]: `${changed[1]}2` };
}

const isDecider = ({ type }: Member, name: string): boolean =>
  type.kind === 'object' && type.choice?.by === name;

/** The inputs whose values decide whether the resource is changed, except the one that names it. */
export const comparedInputs = (inputs: readonly Input[], change: Input['change'], key: string): Input[] =>
  inputs.filter((input) => isComparable(input) && input.change === change && input.name !== key);

/** Values in an answer that are shown only once. */
export const secretsIn = (body: string | null): string[] =>
  [...(body ?? '').matchAll(/"(?:password|secret)":"([^"]+)"/g)].map(([, secret = '']) => secret);

/** Texts inside of what was given that no answer shows. */
export function hiddenIn(members: readonly Member[], values: Members): string[] {
  return members.flatMap((member) => {
    const value = values[member.name];
    if (typeof value === 'string' && (member.secret || member.writeOnly)) return [value];
    const isObject = value !== null && typeof value === 'object';
    return member.type.kind === 'object' && isObject ? hiddenIn(member.type.members, value as Members) : [];
  });
}
