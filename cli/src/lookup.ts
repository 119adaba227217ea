/** Finds the command that words name. A family can be left out where no other family has the same resource. */
import { nearest } from '../../src/kernel/did-you-mean.ts';
import type { Document, Operation } from './document/document.ts';
import { meaningsOf, usualVerbs } from './document/usual-verbs.ts';
import { resourceCalled } from './other-nouns.ts';

export interface FoundOperation {
  readonly operation: Operation;
  /** How many words name it. */
  readonly used: number;
  /** The words of the command line that stand before them: `api`. */
  readonly before?: readonly string[];
}

export type Found =
  | FoundOperation
  /** The words name a family or a resource, but no verb. */
  | { readonly group: readonly Operation[]; readonly words: readonly string[] };

/** No command has these words. */
export class UnknownCommand extends Error {}

const ofFamily = ({ commands }: Document, family: string): Operation[] =>
  commands.filter(({ words }) => words.family === family);

/** The resource that a word names: first by its own name, then by that of its list. */
function ofResource(operations: readonly Operation[], word: string): Operation[] {
  const exact = operations.filter(({ words }) => words.resource === word);
  return exact.length > 0 ? exact : operations.filter(({ words }) => words.otherResource === word);
}

/** Somebody who stopped in the middle of a word means one that begins so: `resta` is `restart`, and not `reset`. */
const SHORTEST_BEGINNING = 3;

const MOST_OTHERS = 5;

function suggest(word: string, known: readonly string[]): string {
  const begun = word.length < SHORTEST_BEGINNING ? undefined : known.find((each) => each.startsWith(word));
  const near = begun ?? nearest(word, known);
  return near === null ? '' : ` Did you mean ${near}?`;
}

export function find(document: Document, given: readonly string[], builtIns: readonly string[]): Found {
  const [first = '', second, third] = given;
  const family = ofFamily(document, first);
  if (family.length > 0) {
    if (second === undefined) return { group: family, words: [first] };
    return inResource(document, ofResource(family, second), family, [first, second], third);
  }
  const matching = ofResource(document.commands, first);
  const families = [...new Set(matching.map(({ words }) => words.family))];
  if (families.length > 1)
    throw new UnknownCommand(
      `"${first}" is in several families: ${families.map((name) => `hostplane ${name} ${first}`).join(', ')}.`,
    );
  if (matching.length === 0) {
    const turned = verbFirst(document, given);
    if (turned !== undefined) return turned;
    const known = document.operations.flatMap(({ words }) => [words.family, words.resource]);
    const hint =
      calledElsewhere(document, given) ||
      suggest(first, [...builtIns, ...known]) ||
      ' hostplane --help lists all commands.';
    throw new UnknownCommand(`There is no command "${first}".${hint}`);
  }
  return inResource(document, matching, matching, [first], second);
}

/** Some programs have the verb first: `ls vm`, `delete vm web`. */
function verbFirst({ commands }: Document, [verb = '', noun = '']: readonly string[]): Found | undefined {
  const operation = withVerb(ofResource(commands, noun), verb);
  return operation && { operation, used: 2 };
}

/** The command for a resource that has another name here: `server ls` is `hostplane vm list`. */
function calledElsewhere({ commands }: Document, [noun = '', verb, ...rest]: readonly string[]): string {
  const name = resourceCalled(noun, [...new Set(commands.map(({ words }) => words.resource))]);
  if (name === undefined) return '';
  const found = verb === undefined ? undefined : withVerb(ofResource(commands, name), verb);
  const line = found === undefined ? [name] : [name, found.words.verb, ...rest];
  return ` Did you mean hostplane ${line.join(' ')}?`;
}

/** The command that a verb leads to: by its own verb, else by a usual one, else by what the word means elsewhere. */
export function withVerb(matching: readonly Operation[], verb: string): Operation | undefined {
  const named = (word: string): Operation | undefined =>
    matching.find(({ words }) => words.verb === word) ??
    matching.find(({ words }) => words.otherVerb === word);
  const apart = (word: string): string => word.replaceAll('-', '');
  return (
    named(verb) ??
    meaningsOf(verb)
      .map(named)
      .find((found) => found !== undefined) ??
    matching.find(({ words }) => apart(words.verb) === apart(verb))
  );
}

/**
 * What to say about a verb that the resource does not have. A verb of another resource, or one with a known meaning, is no
 * typing error: a word that only looks like it would mean something else ("restart" is not "restore").
 */
function noVerb({ commands }: Document, matching: readonly Operation[], noun: string, verb: string): string {
  const own = matching.map(({ words }) => words.verb);
  const elsewhere = commands.filter(
    ({ words }) => words.verb === verb || meaningsOf(verb).includes(words.verb),
  );
  if (elsewhere.length === 0 && !usualVerbs.includes(verb)) {
    const usual = usualVerbs.filter((word) => withVerb(matching, word) !== undefined);
    // Of two verbs that begin alike, the one that destroys nothing is suggested.
    const harmless = matching.filter(({ access }) => access !== 'destructive').map(({ words }) => words.verb);
    const near = suggest(verb, [...harmless, ...own, ...usual]);
    if (near !== '') return near;
  }
  const others = [...new Set(elsewhere.map(({ words }) => words.resource))].filter((each) => each !== noun);
  // A verb that nearly everything has leads nowhere.
  const hint =
    others.length === 0 || others.length > MOST_OTHERS
      ? ''
      : ` "${verb}" is a command for ${others.join(', ')}.`;
  return ` It has ${own.join(', ')}.${hint}`;
}

function inResource(
  document: Document,
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
  const operation = withVerb(matching, verb);
  if (operation === undefined)
    throw new UnknownCommand(
      `"${words.join(' ')}" has no "${verb}".${noVerb(document, matching, noun, verb)}`,
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
