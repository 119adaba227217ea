/** Sentences name commands with places, such as `hostplane vm get <vm>`. Where the command was typed with a name, it stands there. */

import { kebab } from '../../../src/surfaces/cli-package/command-words.ts';
import { type Given, last } from '../command.ts';
import type { Problem } from '../failure.ts';
import { isObject } from '../input/body.ts';
import { shellWord } from '../output/shell-word.ts';
import type { OperationShape } from '../shapes/operation-shape.ts';

/** What is known, by the name of its place. */
export type KnownNames = ReadonlyMap<string, string>;

const nounOf = (member: string): string => kebab(member.replace(/_id$/, ''));

/** What was typed: the arguments, and the resources that flags name. */
export function typedNames(
  { args: places, memberFlags }: OperationShape,
  args: readonly string[],
  given: Given,
): KnownNames {
  const names = new Map<string, string>();
  for (const { name, path, reference } of memberFlags) {
    const [text, ...others] = given.get(name) ?? [];
    const member = path.at(-1) ?? '';
    if (text === undefined || others.length > 0) continue;
    // `--target.type vm --target.id web` names a machine.
    const type = last(given, [...path.slice(0, -1), 'type'].join('.'));
    if (member === 'id' && path.length > 1 && type !== undefined) names.set(kebab(type), text);
    else if (member.endsWith('_id') && reference !== undefined) names.set(nounOf(member), text);
  }
  for (const [i, { name }] of places.entries()) if (args[i] !== undefined) names.set(name, args[i]);
  return names;
}

/** What the problem names: members such as `existing_id` of the type that it says, and resources if there is one of a type. */
export function namesIn(problem: Problem): KnownNames {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  for (const [member, value] of Object.entries(problem)) {
    if (typeof value === 'string' && /_id$/.test(member) && !['request_id', 'operation_id'].includes(member))
      names.set(nounOf(member), value);
    for (const item of Array.isArray(value) ? value.filter(isObject) : []) {
      const { type, name, id } = item;
      const text = name ?? id;
      if (typeof type !== 'string' || typeof text !== 'string') continue;
      const noun = kebab(type);
      if (seen.has(noun)) names.delete(noun);
      else names.set(noun, text);
      seen.add(noun);
    }
  }
  return names;
}

export const withKnownNames = (text: string, names: KnownNames): string =>
  text.replaceAll(/<([a-z-]+)>|(?<= )\[([a-z-]+)\]/g, (whole, name?: string, optional?: string) => {
    const known = names.get(name ?? optional ?? '');
    return known === undefined ? whole : shellWord(known);
  });
