/** The pages and the OpenAPI document are written in short sentences, and their numbers of endpoints are true. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { contract } from './contract.ts';

const MOST_WORDS = 40;

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const registry = buildRegistry(families);

const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** All descriptions and summaries in a part of the document. */
function textsIn(part: unknown): string[] {
  if (part === null || typeof part !== 'object') return [];
  return Object.entries(part).flatMap(([name, value]) =>
    ['description', 'summary'].includes(name) && typeof value === 'string' ? [value] : textsIn(value),
  );
}

/** Responses that only list the titles of problems are no sentences. */
const isProblemList = (text: string): boolean => /\(`\w+`\)(;|$)/.test(text);

const document = exampleDocument(registry);
const descriptions = [...new Set(textsIn(document))].filter((text) => !isProblemList(text));

/** Splits a page into sentences. Rows of tables and items of lists are separate; code is left out. */
function sentencesOf(page: string): string[] {
  return page
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '\n\n')
    .split(/\n\s*\n|\n(?= *(?:[-*#|]|\d+\.) ?)|\|/)
    .flatMap((part) => part.replaceAll('\n', ' ').split(/(?<=[.!?:]\)?\**)\s+(?=[A-Z`*[])/));
}

const tooLong = (texts: readonly string[]): string[] =>
  texts.flatMap(sentencesOf).filter((sentence) => sentence.trim().split(/\s+/).length > MOST_WORDS);

describe('no sentence is too long', () => {
  it.each(pages)('in %s', (page) => expect(tooLong([read(page)])).toEqual([]));

  it('in the OpenAPI document', () => expect(tooLong(descriptions)).toEqual([]));
});

it('writes abbreviations in capitals in the OpenAPI document', () => {
  const prose = descriptions.map((text) => text.replaceAll(/`[^`]*`|\(http[^)]*\)|[\w.-]*[._][\w.-]*/g, ''));
  expect(prose.filter((text) => /\b(vms?|ips?|ssh|apis?|urls?|dns|nat)\b/.test(text))).toEqual([]);
});

it('says in the README how many endpoints exist', () => {
  const rows = [...read('README.md').matchAll(/^\| ([\w ]+) \| (\d+) of (\d+) \|/gm)];
  const said = Object.fromEntries(rows.map(([, title, built, all]) => [title, `${built} of ${all}`]));
  const built = (family: string) =>
    registry.endpoints.filter((endpoint) => endpoint.family === family).length;
  const all = (name: string) => contract.filter(({ family }) => family === name).length;
  const counted = registry.families
    .filter(({ name }) => built(name) > 0)
    .map(({ name, title }) => [title, `${built(name)} of ${all(name)}`]);
  expect(said).toEqual(Object.fromEntries(counted));
  expect(read('README.md')).toContain(`will have ${contract.length} endpoints`);
});
