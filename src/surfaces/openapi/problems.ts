/** Describes problems in the document: one response per status, with the codes that the endpoint can return. */
import { DeniedByShape } from '../../kernel/access/caller.ts';
import { fieldCodes, type ProblemCode, problems } from '../../kernel/problems/catalogue.ts';
import { possibleProblems } from '../../kernel/problems/possible.ts';
import { Problem, problemBody } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { Named, Shape, Type } from '../../kernel/schema.ts';
import { type HeaderName, headerReferences, onEveryAnswer } from './headers.ts';
import type { Reference, Response } from './model.ts';
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
    }),
    detail: Type.String({ description: 'What is wrong with the field, in words.' }),
  }),
);

function describeCodes(): string {
  const lines = publicCodes.map(
    (code) => `- \`${code}\` (${problems[code].status}): ${problems[code].title}`,
  );
  return `A code never changes its meaning. Branch on it, then on the status. New codes may appear.\n\n${lines.join('\n')}`;
}

/** Allows additional properties, unlike all other schemas, because some codes add members. */
export function problemShape(docsUrl: string) {
  const example = new Problem('validation_failed', {
    detail: 'One field is not valid: query/limit.',
    errors: [{ pointer: 'query/limit', code: 'out_of_range', detail: 'Must be <= 200.' }],
  });
  return Named(
    'Problem',
    Type.Object(
      {
        type: Type.String({ description: 'The URL of the page about this code.', format: 'uri' }),
        title: Type.String({ description: 'A short title for the code.' }),
        status: Type.Integer({ description: 'The HTTP status of the answer.', minimum: 400, maximum: 599 }),
        detail: Type.String({ description: 'What happened in this case.' }),
        instance: Type.String({ description: 'A URI reference that identifies this request.' }),
        code: Type.String({ description: describeCodes(), 'x-extensible-enum': publicCodes }),
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
        examples: [problemBody(example, 'req_01k9zt6m7qf0x8r3v5c2d4e6g8', docsUrl)],
      },
    ),
  );
}

const FEW_CODES = 3;

function headersOf(status: number, codes: readonly ProblemCode[]): HeaderName[] {
  return [
    ...onEveryAnswer,
    ...(status === 401 ? (['Challenge'] as const) : []),
    ...(status === 403 ? (['RequiredPermission'] as const) : []),
    ...(codes.some((code) => problems[code].retryable) ? (['RetryAfter'] as const) : []),
  ];
}

/** Titles make a short list clear; a long list would repeat what the member `code` of a problem explains. */
const describeCodesOf = (codes: readonly ProblemCode[]): string =>
  codes.length <= FEW_CODES
    ? codes.map((code) => `${problems[code].title} (\`${code}\`)`).join('; ')
    : 'One of the codes in `x-problem-codes`, which `code` of `Problem` explains.';

function problemResponse(status: number, codes: readonly ProblemCode[]): Response {
  return {
    description: describeCodesOf(codes),
    headers: headerReferences(headersOf(status, codes)),
    content: { 'application/problem+json': { schema: { ...schemaReference('Problem') } } },
    'x-problem-codes': codes,
  };
}

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Responses with few codes are shared by many operations and become components; long lists stay inline. */
function sharedName(status: number, codes: readonly ProblemCode[]): string | undefined {
  if (status === 401) return 'Unauthorized';
  return codes.length <= FEW_CODES ? codes.map(pascalCase).join('Or') : undefined;
}

export class ProblemResponses {
  readonly #shared = new Map<string, Response>();

  of(endpoint: Endpoint): Record<string, Response | Reference> {
    const possible = possibleProblems(endpoint);
    const statuses = [...new Set(possible.map((code) => problems[code].status))];
    return Object.fromEntries(
      statuses.map((status) => [
        String(status),
        this.#response(
          status,
          possible.filter((code) => problems[code].status === status),
        ),
      ]),
    );
  }

  list(): Record<string, Response> {
    return Object.fromEntries([...this.#shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #response(status: number, codes: readonly ProblemCode[]): Response | Reference {
    const response = problemResponse(status, codes);
    const name = sharedName(status, codes);
    if (name === undefined) return response;
    this.#shared.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }
}
