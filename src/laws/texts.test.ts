/** Texts send nobody to what does not exist: each path, command and place that a text names is there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtIns } from '../../cli/src/built-ins.ts';
import { Document } from '../../cli/src/document/document.ts';
import { find } from '../../cli/src/lookup.ts';
import { families } from '../families/index.ts';
import { type ProblemCode, problems } from '../kernel/problems/catalogue.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { runCommand } from '../testing/command-line.ts';
import { shipped } from './sources.ts';

const ROOT = join(import.meta.dirname, '../..');
const registry = buildRegistry(families);

interface Text {
  readonly from: string;
  readonly text: string;
}

const pages: readonly Text[] = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .map((from) => ({ from, text: readFileSync(join(ROOT, from), 'utf8') }));

const catalogue: readonly Text[] = (Object.keys(problems) as ProblemCode[]).map((code) => {
  const { title, when, next_step } = problems[code];
  return { from: code, text: [title, when, next_step].join(' ') };
});

function textsIn(value: unknown, from: string): Text[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, part]) =>
    (name === 'description' || name === 'summary') && typeof part === 'string'
      ? [{ from, text: part }]
      : textsIn(part, `${from}/${name}`),
  );
}

const specification = textsIn(exampleDocument(registry), 'openapi.json');
/** Comments are for engineers, who know what is planned. */
const code: readonly Text[] = shipped.map(({ path, text }) => ({
  from: path,
  text: text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''),
}));

const found = (pattern: RegExp, texts: readonly Text[]): string[] =>
  texts.flatMap(({ from, text }) => [...text.matchAll(pattern)].map(([match]) => `${from}: ${match}`));

describe('a text', () => {
  it('names only paths that the API has', () => {
    const names = registry.families.map(({ name }) => name).join('|');
    const path = new RegExp(`(?<=^|[\\s\`'"(]|\\$url)/(?:${names})/v1/[\\w{}$.…/-]+`, 'gm');
    const known = registry.endpoints.map(({ path: template }) => template.split('/'));
    const isKnown = (named: string): boolean => {
      const parts = named.replace(/[.…]+$/, '').split('/');
      return known.some(
        (template) =>
          template.length === parts.length &&
          template.every((part, i) => part === parts[i] || /^\{/.test(part)),
      );
    };
    const texts = [...pages, ...catalogue, ...specification];
    const named = texts.flatMap(({ from, text }) =>
      [...text.matchAll(path)].map(([match]) => ({ from, match })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ match }) => !isKnown(match))).toEqual([]);
  });

  it('of a problem names a call by its method and path, not by its operation id', () => {
    const ids = new RegExp(`\\b(?:${registry.endpoints.map(({ id }) => id).join('|')})\\b`, 'g');
    expect(found(ids, catalogue)).toEqual([]);
  });

  /** The words after `hostplane` in all texts, at most three. */
  const commands = (): Set<string> => {
    const command = /\bhostplane (?:-- )?([a-z][a-z-]+(?: [a-z][a-z-]+){0,2})/g;
    const texts = [...pages, ...catalogue, ...specification, ...code]
      // These name processes and connections: "hostplane pid …", "hostplane command".
      .filter(({ from }) => !/^src\/(store\/embedded|surfaces\/cli\/database)/.test(from));
    return new Set(texts.flatMap(({ text }) => [...text.matchAll(command)].map(([, words = '']) => words)));
  };

  it('names only commands that the operators have', async () => {
    const help = (await runCommand(['--help'])).out;
    const groups = [...help.matchAll(/^ {2}([a-z-]+)(?: |$)/gm)].map(([, name = '']) => name);
    const named = [...commands()].filter((words) => /^admin\b/.test(words));
    expect(named.length).toBeGreaterThan(10);
    const wrong: string[] = [];
    for (const words of named) {
      const [group, verb = ''] = words.replace(/^admin ?/, '').split(' ');
      if (group === undefined || group === '') continue;
      const usage = (await runCommand([group, '--help'])).out;
      const isGroup = /^Usage: hostplane admin \S+ .*\[command\]/.test(usage);
      const hasVerb = new RegExp(`^ {2}${verb}(?: |$)`, 'm').test(usage);
      if (!groups.includes(group) || (isGroup && verb !== '' && !hasVerb)) wrong.push(words);
    }
    expect(wrong).toEqual([]);
  });

  it('names only commands that the customers have', () => {
    const document = new Document(JSON.parse(JSON.stringify(exampleDocument(registry))));
    const own = builtIns.map(({ words: [first = ''] }) => first);
    const isKnown = (words: readonly string[]): boolean => {
      try {
        return own.includes(words[0] ?? '') || find(document, words, own) !== undefined;
      } catch {
        return false;
      }
    };
    const named = [...commands()].filter((words) => !/^admin\b/.test(words));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((words) => !isKnown(words.split(' ')))).toEqual([]);
  });
});
