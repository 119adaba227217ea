/**
 * Describes problems in the document. An operation lists its codes in `x-problem-codes`, has a response with an example
 * for each of its two most likely problems, and `default` for all others.
 */
import { DeniedByShape } from '../../kernel/access/caller.ts';
import { fieldCodes, fieldMeanings, type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import { ofEveryCall, possibleProblems } from '../../kernel/problems/possible.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { Named, Shape, Type } from '../../kernel/schema.ts';
import { exampleReference } from './examples.ts';
import { type HeaderName, headersWith, onEveryAnswer } from './headers.ts';
import type { Example, JsonSchema, Reference, Response } from './model.ts';
import { type ProblemExample, problemExampleBody, problemExamplesOf } from './problem-examples.ts';
import { schemaReference } from './schemas.ts';

export const publicCodes = (Object.keys(problems) as ProblemCode[]).filter(
  (code) => problems[code].portalOnly !== true,
);

const FieldErrorShape = Named(
  'FieldError',
  Shape({
    pointer: Type.String({
      description: 'JSON Pointer into the body, or `query/<name>`, `header/<name>`, `path/<name>`.',
    }),
    code: Type.String({
      description: 'What is wrong with the field. New codes may appear.',
      'x-extensible-enum': [...fieldCodes],
      'x-enum-descriptions': Object.values(fieldMeanings),
    }),
    detail: Type.String({ description: 'What is wrong with the field, in words.' }),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Where in the text a secret begins, counted in UTF-16 units as JavaScript does.',
      }),
    ),
    length: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How long the secret is, in the same units.' }),
    ),
  }),
);

const statusOf = (code: ProblemCode): number => problems[code].status;

const meanings = publicCodes.map((code) => `${statusOf(code)}: ${problems[code].title}.`);

/** Allows additional properties, unlike all other schemas, because some codes add members. */
export const problemShape = Named(
  'Problem',
  Type.Object(
    {
      type: Type.String({ description: 'The URL of the page about this code.', format: 'uri' }),
      title: Type.String({ description: 'A short title for the code.' }),
      status: Type.Integer({ description: 'The HTTP status of the answer.', minimum: 400, maximum: 599 }),
      detail: Type.String({ description: 'What happened in this case.' }),
      instance: Type.String({ description: 'A URI reference that identifies this request.' }),
      code: Type.String({
        description:
          'A code never changes its meaning. Branch on it, then on the status. New codes may appear.',
        'x-extensible-enum': publicCodes,
        'x-enum-descriptions': meanings,
      }),
      request_id: Type.String({ description: 'The same id as in the header `X-Request-Id`.' }),
      next_step: Type.String({ description: 'What to do, in one sentence.' }),
      retryable: Type.Boolean({ description: 'Whether the identical request may succeed later.' }),
      retry_after_seconds: Type.Optional(
        Type.Integer({
          description: 'The same number as in the header `Retry-After`.',
          minimum: 1,
          'x-unit': 'seconds',
        }),
      ),
      errors: Type.Array(FieldErrorShape, { description: 'On a 422: every invalid field.' }),
      required_permission: Type.Optional(
        Type.String({ description: 'On a 403: the permission that the call needs.' }),
      ),
      denied_by: Type.Optional(
        Type.Array(DeniedByShape, {
          description: 'On a 403: what does not grant the permission.',
        }),
      ),
    },
    {
      description: 'An error (RFC 9457). Some codes add members; the page about the code lists them.',
      additionalProperties: true,
    },
  ),
);

function headersOf(codes: readonly ProblemCode[]): HeaderName[] {
  const statuses = codes.map(statusOf);
  return [
    ...(statuses.includes(401) ? (['Challenge'] as const) : []),
    ...(statuses.includes(403) ? (['RequiredPermission'] as const) : []),
    ...(codes.some((code) => problems[code].retryable) ? (['RetryAfter'] as const) : []),
  ];
}

const schema: JsonSchema = { ...schemaReference('Problem') };

/** The response for all problems that have no response of their own. */
const anyProblem: Response = {
  description:
    'An error. Every call can answer with the codes in `x-problem-codes` here, which come from the key, the address or the server. The codes that follow from the request are in `x-problem-codes` of its operation.',
  ...headersWith([...onEveryAnswer, ...headersOf(publicCodes)]),
  content: { 'application/problem+json': { schema } },
  'x-problem-codes': ofEveryCall,
};

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function responseWith(status: number, examples: readonly ProblemExample[]): Response {
  const titles = examples.map(({ code }) => `${problems[code].title} (\`${code}\`)`).join('; ');
  return {
    description: `For example: ${titles}.`,
    ...headersWith(headersOf(publicCodes.filter((code) => statusOf(code) === status))),
    content: {
      'application/problem+json': {
        schema,
        examples: Object.fromEntries(
          examples.map(({ name, code }) => [code, exampleReference(pascalCase(name))]),
        ),
      },
    },
  };
}

/** The codes of an operation that the response `Problem` does not name for all. */
export const ownCodes = (endpoint: Endpoint): ProblemCode[] =>
  possibleProblems(endpoint).filter((code) => !ofEveryCall.includes(code));

export class ProblemResponses {
  readonly #shared = new Map<string, Response>([['Problem', anyProblem]]);
  readonly #examples = new Map<string, Example>();
  readonly #docsUrl: string;

  constructor(docsUrl: string) {
    this.#docsUrl = docsUrl;
  }

  of(endpoint: Endpoint): Record<string, Reference> {
    const examples = problemExamplesOf(endpoint);
    const statuses = [...new Set(examples.map(({ code }) => statusOf(code)))];
    return {
      ...Object.fromEntries(
        statuses.map((status) => [
          String(status),
          this.#response(
            status,
            examples.filter(({ code }) => statusOf(code) === status),
          ),
        ]),
      ),
      default: { $ref: '#/components/responses/Problem' },
    };
  }

  list(): Record<string, Response> {
    return Object.fromEntries([...this.#shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  examples(): Record<string, Example> {
    return Object.fromEntries([...this.#examples].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #response(status: number, examples: readonly ProblemExample[]): Reference {
    const name = examples.map((example) => pascalCase(example.name)).join('Or');
    this.#shared.set(name, responseWith(status, examples));
    for (const { name: each, problem } of examples)
      this.#examples.set(pascalCase(each), { value: problemExampleBody(problem, this.#docsUrl) });
    return { $ref: `#/components/responses/${name}` };
  }
}
