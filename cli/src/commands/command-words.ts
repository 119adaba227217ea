/**
 * Refusals are written for programs that send HTTP requests. A person at a command line has commands and flags instead:
 * this file says the same in their terms, in every text of a problem.
 */
import type { Document, Operation } from '../document/document.ts';
import type { Problem } from '../failure.ts';
import { placeOf } from '../failure.ts';
import { argumentsOf } from '../shapes/operation-arguments.ts';

const PHRASES: readonly (readonly [RegExp, string])[] = [
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
  [/\bwith PATCH\b/g, 'with the verb update'],
  [/Send a body of/g, 'Use a --body of'],
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

export function inCommandWords(text: string, document: Document, resource = ''): string {
  const named = text
    .replaceAll(CALL, (whole, method: string, url: string) => commandFor(document, method, url) ?? whole)
    .replaceAll(
      /the action ([a-z_]+)/g,
      (whole, action: string) => actionFor(document, resource, action) ?? whole,
    )
    .replaceAll(/\b[a-z]+[A-Z]\w+\b/g, (word) => {
      const operation = document.find(word);
      return operation === undefined ? word : wordsFor(operation);
    });
  return PHRASES.reduce((said, [pattern, words]) => said.replaceAll(pattern, words), named).replaceAll(
    /--([a-z]+(?:_[a-z]+)+)/g,
    (_, name: string) => dashed(name),
  );
}

/** The problem with its sentences in words of commands. */
export function problemInCommandWords<T extends Problem>(problem: T, document: Document, resource = ''): T {
  const say = (text: string): string => inCommandWords(text, document, resource);
  const { title, detail, next_step, errors = [] } = problem;
  // The sentence about wrong fields names them by their places in the request.
  const placed = errors.reduce((text, { pointer }) => text?.replaceAll(pointer, placeOf(pointer)), detail);
  return {
    ...problem,
    ...(title === undefined ? {} : { title: say(title) }),
    ...(placed === undefined ? {} : { detail: say(placed) }),
    ...(next_step === undefined ? {} : { next_step: say(next_step) }),
    ...(problem.errors === undefined
      ? {}
      : { errors: errors.map((error) => ({ ...error, detail: say(error.detail) })) }),
  };
}
