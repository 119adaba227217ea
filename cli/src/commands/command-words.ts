/**
 * Refusals are written for programs that send HTTP requests. A person at a command line has commands and flags instead:
 * this file says the same in their terms, in every text of a problem.
 */
import type { Document, Operation } from '../document/document.ts';
import type { Fault, Problem } from '../failure.ts';
import { isId } from '../input/references.ts';
import { argumentsOf } from '../shapes/operation-arguments.ts';
import { shapeOf } from '../shapes/operation-shape.ts';
import { exampleFor, FIELDS, faultsInFlags, sentenceAbout } from './faults-in-flags.ts';

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/The request has no X-API-Key header, or more than one/g, 'No API key was sent'],
  [/You sent the API key in the Authorization header/g, 'The API key was sent in a wrong place'],
  [/The value of X-API-Key/g, 'The API key'],
  [/Send the API key exactly once, in the header X-API-Key/g, 'Store your key: hostplane login'],
  [/Send the same key in the header X-API-Key instead of Authorization/g, 'Store your key: hostplane login'],
  [
    /Correct all the fields listed in errors, then send the request again/g,
    'Correct them, then repeat the command',
  ],
  [/Look up the exact path with .+? or in \/openapi\.json/g, 'hostplane api lists what this server has'],
  [/Use one of the methods in the Allow header/g, 'hostplane api lists what this server has'],
  [/Send the request with fewer or shorter headers and a shorter URL/g, 'Use fewer and shorter flags'],
  [/Send the header Idempotency-Key with a value/g, 'Add --idempotency-key with a value'],
  [/Send the request without Approval-Id/g, 'Repeat the command without --approval-id'],
  [
    /Send (?:uncompressed JSON with Content-Type|Accept): application\/json/g,
    'Use a newer version of this program',
  ],
  [
    /the identical request with its id in the header Approval-Id/g,
    'the same command with --approval-id and its id',
  ],
  [/the approved request exactly, or send this one/g, 'the approved command exactly, or this one'],
  [/for a new request/g, 'for a new command'],
  [/(?:send|Send) (?:it|the request) again/g, 'repeat the command'],
  [/change the request/g, 'change the command'],
  [/fix the request/g, 'correct the command'],
  [/Repeat the (?:same )?(?:call|request)/g, 'Repeat the command'],
  [/repeat the (?:same )?(?:call|request)/g, 'repeat the command'],
  [/(Wait) for the seconds in Retry-After/g, '$1 a while'],
  [/after the seconds in Retry-After/g, 'after a while'],
  [/(?:in )?(?:the header )?Approval-Id/g, '--approval-id'],
  [/(?:the header )?Idempotency-Key/g, '--idempotency-key'],
  [/the current ETag/g, 'the current --if-match'],
  [/(?:the header )?If-Match/g, '--if-match'],
  [/with `?result\.changed`? false/g, 'and says that nothing changed'],
  [/\bMust be >= (?=-?\d)/g, 'Must be at least '],
  [/\bMust be <= (?=-?\d)/g, 'Must be at most '],
  [/Send a body of/g, 'Use a --body of'],
  [/\b([Tt]he|[Yy]our) call\b/g, '$1 command'],
  [/\bwith ([a-z_]+)=(\w+)/g, 'with --$1 $2'],
  [/(?<=[\s(])\?([a-z_]+)=true\b/g, '--$1'],
  [/(?<=[\s(])\?([a-z_]+)=(\w+)/g, '--$1 $2'],
  [/`([a-z_]+)=(\w+)`/g, '--$1 $2'],
];

const CALL = /\b(GET|POST|PUT|PATCH|DELETE) (\/[^\s,;)]*[^\s,;).])(?: \((\w+)\))?/g;

const wordsFor = ({ words: { family, resource, verb } }: Operation): string =>
  `hostplane ${family} ${resource} ${verb}`;

const dashed = (name: string): string => `--${name.replaceAll('_', '-')}`;

/** The values of the parameters if the path is one of the operation; `{id}` stands for itself. */
function argumentsIn(operation: Operation, sent: string): string[] | undefined {
  const [own, given] = [operation.path.split('/'), sent.split('/')];
  if (own.length !== given.length) return undefined;
  const values: string[] = [];
  for (const [i, part] of own.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith('{')) values.push(value === part ? '' : decodeURIComponent(value));
    else if (part !== value) return undefined;
  }
  const names = argumentsOf(operation).map(({ name }) => `<${name}>`);
  return values.map((value, i) => (value === '' ? (names[i] ?? '') : value));
}

function commandFor({ operations }: Document, method: string, url: string): string | undefined {
  const [path = '', search = ''] = url.split('?');
  for (const operation of operations.filter((each) => each.method === method)) {
    const values = argumentsIn(operation, path);
    if (values === undefined) continue;
    const flags = [...new URLSearchParams(search)].flatMap(([name, value]) => [dashed(name), value]);
    return [wordsFor(operation), ...values, ...flags].join(' ');
  }
  return undefined;
}

/** "the action power_on" is a command of the resource. */
function actionFor({ commands }: Document, resource: string, action: string): string | undefined {
  const fitting = commands.filter(({ choice }) => choice?.value === action);
  const found = fitting.find((each) => each.resource.name === resource) ?? fitting[0];
  return (
    found &&
    `${wordsFor(found)} ${argumentsOf(found)
      .map(({ name, isOptional }) => (isOptional ? `[${name}]` : `<${name}>`))
      .join(' ')}`
  );
}

/** What a text is about. */
export interface About {
  readonly operation?: Operation | undefined;
  /** The members of the problem: "the resource in existing_id". */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A word of the API in a sentence: not in quotation marks, where names of people stand, and not in a path or an id. */
const API_WORD = /(?<!["'`\w./:-])(?:in )?([a-z]+(?:_[a-z][a-z0-9]*)+)(?! ?=|[\w"'/:-]|\.\w)(?: true\b)?/g;
/** A member and what it is set to. */
const SET = /`?\b([a-z]+(?:_[a-z][a-z0-9]*)*)`?(?: to)? (true|false)\b/g;
/** What the caller has to send. */
const GIVEN = /\b([Gg]ive|[Ss]end|[Ss]et|[Aa]dd|needs|without) ([a-z]+(?:_[a-z0-9]+)*)\b/g;
const MARKED = /`([a-z]+(?:_[a-z][a-z0-9]*)*)`/g;

/** What a member of a problem says, in a few words: a value, or the names of the resources that it lists. */
function shortText(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) {
    const texts = value.map(shortText).filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join(', ');
  }
  if (value === null || typeof value !== 'object') return undefined;
  const { name, id } = value as { readonly name?: unknown; readonly id?: unknown };
  return shortText(name ?? id);
}

/** A command for one of the choices of a call may be described with the flags of the others. */
function memberNames(document: Document, operation: Operation): string[] {
  const { body, parameters } = document.find(operation.id) ?? operation;
  const inBody = body === undefined ? [] : Object.keys(document.schemas.members(body));
  return [...inBody, ...parameters.map(({ name }) => name)];
}

/** The command that changes the resource which the operation is about. */
function updateOf(
  { operations }: Document,
  { resource: { name, parent } }: Operation,
): Operation | undefined {
  const updating = operations.filter(({ method }) => method === 'PATCH');
  return (
    updating.find((each) => each.resource.name === name) ??
    updating.find((each) => each.resource.name === parent?.name)
  );
}

/** A switch inside of a member, as sentences name it: `protection.delete is true`. */
const SWITCH = /\b([a-z_]+(?:\.[a-z_]+)+) is true\b/g;

/** "with PATCH", as a command that also turns off the switches which the problem is about. */
function updateCommand(document: Document, { operation, members = {} }: About): string {
  const update = operation && updateOf(document, operation);
  if (update === undefined) return 'with the command that changes it';
  const places = argumentsOf(update).map(({ name }) => `<${name}>`);
  const off = [...String(members['detail'] ?? '').matchAll(SWITCH)].map(
    ([, name = '']) => `--no-${dashed(name).slice(2)}`,
  );
  return `with: ${[wordsFor(update), ...places, ...off].join(' ')}`;
}

/** The value that the word stands for, else the command or the flag, else the same in plain words. */
function apiWord(
  whole: string,
  word: string,
  document: Document,
  { operation, members = {} }: About,
): string {
  if (isId(word)) return whole;
  const value = shortText(members[word]);
  if (value !== undefined) return value;
  if (operation !== undefined && memberNames(document, operation).includes(word)) return dashed(word);
  const action = actionFor(document, operation?.resource.name ?? '', word);
  if (action !== undefined) return action;
  // The value of a flag is typed as it is.
  if (operation !== undefined && valuesOf(document, operation).has(word)) return whole;
  return whole.replaceAll('_', ' ');
}

const valuesOf = (document: Document, operation: Operation): ReadonlySet<string> =>
  new Set(shapeOf(document, operation).flags.flatMap(({ values = [] }) => values));

export function inCommandWords(text: string, document: Document, about: About = {}): string {
  const resource = about.operation?.resource.name ?? '';
  const flags = about.operation === undefined ? [] : memberNames(document, about.operation);
  const isFlag = (word: string): boolean => flags.includes(word);
  const named = text
    .replaceAll(CALL, (whole, method: string, url: string) => commandFor(document, method, url) ?? whole)
    .replaceAll(
      /\b[Tt]he action ([a-z_]+)/g,
      (whole, action: string) => actionFor(document, resource, action) ?? whole,
    )
    .replaceAll(/\b[a-z]+[A-Z]\w+\b/g, (word) => {
      const operation = document.find(word);
      return operation === undefined ? word : wordsFor(operation);
    });
  const changed = named
    .replaceAll(/\b(?:with|by) PATCH\b/g, () => updateCommand(document, about))
    .replaceAll(SWITCH, (_, name: string) => `${dashed(name)} is set`);
  return PHRASES.reduce((said, [pattern, words]) => said.replaceAll(pattern, words), changed)
    .replaceAll(/--([a-z]+(?:_[a-z]+)+)/g, (_, name: string) => dashed(name))
    .replaceAll(SET, (whole, word: string, value: string) =>
      isFlag(word) || whole.startsWith('`')
        ? `--${value === 'true' ? '' : 'no-'}${dashed(word).slice(2)}`
        : whole,
    )
    .replaceAll(GIVEN, (whole, verb: string, word: string) =>
      isFlag(word) ? `${verb} ${dashed(word)}` : whole,
    )
    .replaceAll(MARKED, (whole, word: string) => (isFlag(word) ? dashed(word) : whole))
    .replaceAll(API_WORD, (whole, word: string) => apiWord(whole, word, document, about));
}

/** The problem with its sentences in words of commands. */
export function problemInCommandWords<T extends Problem>(
  problem: T,
  document: Document,
  operation?: Operation,
): T {
  const say = (text: string): string =>
    inCommandWords(text, document, { operation, members: Object.fromEntries(Object.entries(problem)) });
  const { title, detail, next_step, errors = [] } = problem;
  const fault = ({ detail: text }: Fault): string => {
    // Only JSON can have an unknown member, and in JSON members are written as the API writes them.
    const at = text.indexOf(' Known: ');
    return at < 0 ? say(text) : `${say(text.slice(0, at))}${text.slice(at)}`;
  };
  const faults = operation === undefined ? errors : faultsInFlags(errors, document, operation);
  const example = operation === undefined ? undefined : exampleFor(faults, document, operation);
  // The sentence about wrong fields names them by their places in the request.
  const placed = FIELDS.test(detail ?? '') ? sentenceAbout(faults) : detail;
  return {
    ...problem,
    ...(title === undefined ? {} : { title: say(title) }),
    ...(placed === undefined ? {} : { detail: say(placed) }),
    ...(next_step === undefined ? {} : { next_step: say(next_step) }),
    ...(problem.errors === undefined
      ? {}
      : { errors: faults.map((error) => ({ ...error, detail: fault(error) })) }),
    ...(example === undefined ? {} : { example }),
  };
}
