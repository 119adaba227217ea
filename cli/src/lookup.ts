/** Finds the command that words name. A family can be left out where no other family has the same resource. */
import { nearest } from '../../src/kernel/did-you-mean.ts';
import type { Document, Operation } from './document/document.ts';

export type Found =
  | { readonly operation: Operation; readonly used: number }
  /** The words name a family or a resource, but no verb. */
  | { readonly group: readonly Operation[]; readonly words: readonly string[] };

/** No command has these words. */
export class UnknownCommand extends Error {}

const ofFamily = ({ operations }: Document, family: string): Operation[] =>
  operations.filter(({ words }) => words.family === family);

/** The resource that a word names: first by its own name, then by that of its list. */
function ofResource(operations: readonly Operation[], word: string): Operation[] {
  const exact = operations.filter(({ words }) => words.resource === word);
  return exact.length > 0 ? exact : operations.filter(({ words }) => words.otherResource === word);
}

function suggest(word: string, known: Iterable<string>): string {
  const near = nearest(word, known);
  return near === null ? '' : ` Did you mean ${near}?`;
}

export function find(document: Document, given: readonly string[], builtIns: readonly string[]): Found {
  const [first = '', second, third] = given;
  const family = ofFamily(document, first);
  if (family.length > 0) {
    if (second === undefined) return { group: family, words: [first] };
    return inResource(ofResource(family, second), family, [first, second], third);
  }
  const matching = ofResource(document.operations, first);
  const families = [...new Set(matching.map(({ words }) => words.family))];
  if (families.length > 1)
    throw new UnknownCommand(
      `"${first}" is in several families: ${families.map((name) => `hostplane ${name} ${first}`).join(', ')}.`,
    );
  if (matching.length === 0) {
    const known = document.operations.flatMap(({ words }) => [words.family, words.resource]);
    const hint = suggest(first, [...builtIns, ...known]) || ' hostplane --help lists all commands.';
    throw new UnknownCommand(`There is no command "${first}".${hint}`);
  }
  return inResource(matching, matching, [first], second);
}

function inResource(
  matching: readonly Operation[],
  around: readonly Operation[],
  words: readonly string[],
  verb: string | undefined,
): Found {
  const noun = words.at(-1) ?? '';
  if (matching.length === 0)
    throw new UnknownCommand(
      `There is no "${words.join(' ')}".${
        suggest(
          noun,
          around.flatMap((each) => [each.words.resource, each.words.otherResource ?? '']),
        ) || ` hostplane ${words[0]} --help lists what there is.`
      }`,
    );
  if (verb === undefined) return { group: matching, words };
  const operation =
    matching.find((each) => each.words.verb === verb) ??
    matching.find((each) => each.words.otherVerb === verb);
  if (operation === undefined)
    throw new UnknownCommand(
      `"${words.join(' ')}" has no "${verb}".${
        suggest(
          verb,
          matching.map((each) => each.words.verb),
        ) || ` It has ${matching.map((each) => each.words.verb).join(', ')}.`
      }`,
    );
  return { operation, used: words.length + 1 };
}

export function findById(document: Document, id: string): Operation {
  const operation = document.find(id);
  if (operation !== undefined) return operation;
  const near = nearest(
    id,
    document.operations.map((each) => each.id),
  );
  const hint = near === null ? 'hostplane api lists all operations.' : `Did you mean ${near}?`;
  throw new UnknownCommand(`There is no operation "${id}". ${hint}`);
}
