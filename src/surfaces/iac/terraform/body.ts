/** The body of the requests of a module: its members, and their paths. */
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import { assign, braces, quoted } from './hcl.ts';
import { isShown } from './read-back.ts';
import { isOptional, sentValue } from './types.ts';
import { isSensitive, type ModuleInput, moduleInputs } from './variables.ts';

/** The members of the body: all inputs but the name of a declared resource, which is in its path. */
export const bodyInputs = (resource: ManagedResource): ModuleInput[] =>
  moduleInputs(resource).filter(({ name }) => !resource.isDeclared || name !== resource.key);

const isLeftOut = (input: ModuleInput): string =>
  isSensitive(input) ? `nonsensitive(var.${input.variable} == null)` : `var.${input.variable} == null`;

export function bodyOf(resource: ManagedResource): string {
  const inputs = bodyInputs(resource);
  const pair = (input: ModuleInput): string => assign(input.name, sentValue(input, `var.${input.variable}`));
  const sure = inputs.filter((input) => !isOptional(input));
  const hidden = inputs.filter((input) => isOptional(input) && isSensitive(input));
  const others = inputs.filter((input) => isOptional(input) && !isSensitive(input));
  if (hidden.length + others.length === 0) return braces(sure.map(pair));
  const parts = [
    ...(sure.length === 0 ? [] : [`${braces(sure.map(pair))},`]),
    ...(others.length === 0
      ? []
      : [`{ for name, value in ${braces(others.map(pair))} : name => value if value != null },`]),
    ...hidden.map((input) => `${isLeftOut(input)} ? {} : { ${input.name} = var.${input.variable} },`),
  ];
  return braces(parts, 'merge(', ')');
}

/** Leaves of the body, as paths: `source.url`. */
export function pathsOf(member: Member, wanted: (leaf: Member) => boolean, at = ''): string[] {
  const path = `${at}${member.name}`;
  const { type } = member;
  if (type.kind !== 'object' || member.writeOnly || member.readAs !== undefined)
    return wanted(member) ? [path] : [];
  const leaves = type.members.flatMap((each) => pathsOf(each, wanted, `${path}.`));
  const all = type.members.flatMap((each) => pathsOf(each, () => true, `${path}.`));
  return leaves.length === all.length ? [path] : leaves;
}

/** What the answer does not show keeps the value of the state. A path that the body lacks is not allowed here. */
export function hiddenPaths(resource: ManagedResource): string[] {
  const parts = bodyInputs(resource).flatMap((input) =>
    pathsOf(input, (leaf) => !isShown(leaf)).map((path) => {
      const [, ...inner] = path.split('.');
      const value = ['var', input.variable, ...inner].join('.');
      if (inner.length > 0) return `${value} == null ? [] : [${quoted(path)}],`;
      return isOptional(input) ? `${isLeftOut(input)} ? [] : [${quoted(path)}],` : `[${quoted(path)}],`;
    }),
  );
  return parts.length === 0 ? [] : [assign('write_only_attrs', braces(parts, 'concat(', ')'))];
}
