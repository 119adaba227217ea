/** The code, the specification and the documentation use the same problem codes, those of the catalogue. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { fieldCodes, type ProblemCode, problems } from '../kernel/problems/catalogue.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { errorsPage } from '../surfaces/openapi/errors-page.ts';
import type { JsonSchema } from '../surfaces/openapi/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';

const root = join(import.meta.dirname, '../..');
const registry = buildRegistry(families);
const document = exampleDocument(registry);
const catalogue = Object.keys(problems) as ProblemCode[];
const publicCodes = catalogue.filter((code) => problems[code].portalOnly !== true);

/** Codes for requests that match no endpoint, so no endpoint lists them. */
const OF_NO_ENDPOINT: readonly ProblemCode[] = ['endpoint_not_found', 'method_not_allowed'];

function codesNamed(schema: string): string[] {
  const { properties } = document.components.schemas[schema] as { properties: Record<string, JsonSchema> };
  return properties['code']?.['x-extensible-enum'] as string[];
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/^(testing|laws)\//.test(file))
  .map((file) => [file, readFileSync(join(root, 'src', file), 'utf8')] as const);

const thrownIn = (text: string): string[] =>
  [...text.matchAll(/new Problem\(\s*'([^']*)'/g)].map(([, code = '']) => code);

describe('the catalogue', () => {
  it.each(catalogue)('%s has one sentence of what to do next', (code) => {
    const { title, when, next_step, status } = problems[code];
    expect(next_step).toMatch(/^[A-Z].*\.$/);
    expect(next_step).not.toMatch(/[.!?] +[A-Z]/);
    expect(when).toMatch(/^[A-Z].*\.$/);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect([
      400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413, 415, 422, 429, 431, 500, 502, 503,
    ]).toContain(status);
  });

  it('is overridden only by next steps of exactly one sentence', () => {
    const advice = sources.flatMap(([, text]) =>
      [...text.matchAll(/nextStep: '([^']*)'/g)].map(([, sentence]) => sentence ?? ''),
    );
    expect(advice.length).toBeGreaterThan(0);
    expect(advice.filter((text) => !/^[A-Z].*\.$/.test(text) || /[.!?] +[A-Z]/.test(text))).toEqual([]);
  });

  it('is in the order of statuses, public codes first', () => {
    const statuses = publicCodes.map((code) => problems[code].status);
    expect(statuses).toEqual(statuses.toSorted((a, b) => a - b));
    expect(catalogue.slice(0, publicCodes.length)).toEqual(publicCodes);
  });
});

describe('the specification', () => {
  it('names exactly the public codes', () => {
    expect(codesNamed('Problem')).toEqual(publicCodes);
    expect(codesNamed('FieldError')).toEqual([...fieldCodes]);
  });

  it.each(registry.endpoints)('names the codes of $id, together with those of every call', (endpoint) => {
    const problem = document.components.responses['Problem'];
    const shared = problem?.['x-problem-codes'] ?? [];
    const operation = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .find(({ operationId }) => operationId === endpoint.id);
    expect([...shared, ...(operation?.['x-problem-codes'] ?? [])].sort()).toEqual(
      possibleProblems(endpoint).sort(),
    );
    expect(operation?.responses['default']).toEqual({ $ref: '#/components/responses/Problem' });
  });
});

describe('the page about errors', () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');

  it('equals the generated one', () => {
    expect(page === errorsPage(), 'docs/errors.md is out of date: run `npm run spec`').toBe(true);
  });

  it('has an anchor for every code, and for nothing else', () => {
    const anchors = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, code]) => code);
    expect(anchors).toEqual(catalogue);
  });
});

describe('the code', () => {
  it('refuses only with codes of the catalogue', () => {
    const unknown = sources.flatMap(([file, text]) =>
      thrownIn(text)
        .filter((code) => !Object.hasOwn(problems, code))
        .map((code) => `${file}: ${code}`),
    );
    expect(sources.flatMap(([, text]) => thrownIn(text)).length).toBeGreaterThan(10);
    expect(unknown).toEqual([]);
  });

  it.each(families)('$name declares every code its handlers refuse with', ({ name, endpoints }) => {
    const declared = new Set<string>(endpoints.flatMap(possibleProblems));
    const undeclared = sources
      .filter(([file]) => file.startsWith(`families/${name}/`))
      .flatMap(([file, text]) =>
        thrownIn(text)
          .filter((code) => !declared.has(code))
          .map((code) => `${file}: ${code}`),
      );
    expect(undeclared).toEqual([]);
  });

  it('declares no portal code and no code from before routing for an endpoint', () => {
    const listed = registry.endpoints.flatMap(({ id, problems: own }) =>
      own
        .filter((code) => !publicCodes.includes(code) || OF_NO_ENDPOINT.includes(code))
        .map((code) => `${id}: ${code}`),
    );
    expect(listed).toEqual([]);
  });
});
