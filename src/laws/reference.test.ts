/** The pages of the reference say everything that the document says about an operation. */
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { EXAMPLE_ADDRESS } from '../surfaces/openapi/example-address.ts';
import { entriesOf, Resolver } from '../surfaces/openapi/resolved.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { articleOf } from '../surfaces/portal/reference/article.ts';
import { contentFor } from '../surfaces/portal/reference/content.ts';
import { indexOf } from '../surfaces/portal/reference/index-of.ts';
import { commandWords } from '../surfaces/portal/reference/samples/command-line.ts';

const document = exampleDocument(buildRegistry(families));
const resolver = new Resolver(document);
const base = 'https://api.real.example';
const sources = {
  resolver,
  commands: commandWords(resolver),
  iac: { ...iacModel(document), baseUrl: base },
  base,
};
const entries = entriesOf(document);
const ids = new Set(entries.map(({ id }) => id));
const [family] = indexOf(document);

const pageOf = (entry: (typeof entries)[number]): string =>
  articleOf(contentFor(entry, sources), { hash: 'hash', ids, family: family! });

/** What a reader sees as text: without samples and examples, and without what is a link already. */
const plainTextOf = (page: string): string =>
  page
    .replaceAll(/<(pre|nav|a)\b[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&\w+;/g, ' ');

describe.each(entries)('the page of $id', (entry) => {
  it('shows the address of the API that its reader uses, and not that of the examples', () => {
    const page = pageOf(entry);
    expect(page).toContain(base);
    expect(page).not.toContain(EXAMPLE_ADDRESS);
  });

  it('shows the members of every answer that has a schema', () => {
    const answers = contentFor(entry, sources).answers.map(({ status, members, choices }) => {
      const { content = {} } = resolver.response(entry.operation.responses[status]!);
      const isJson = Object.keys(content).some((type) => /json$/.test(type) && !type.includes('problem'));
      return { status, isEmpty: isJson && members.length + choices.length === 0 };
    });
    expect(answers.filter(({ isEmpty }) => isEmpty)).toEqual([]);
  });

  it('gives every section and member an address of its own, and has a target for each of its links', () => {
    const page = pageOf(entry);
    const found = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    expect(found.filter((id, i) => found.indexOf(id) !== i)).toEqual([]);
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
    expect(targets.filter((id) => !found.includes(id))).toEqual([]);
    const { body } = contentFor(entry, sources);
    for (const { name } of body?.members ?? []) expect(found).toContain(`body.${name}`);
  });

  it('links every operation that its texts name, and only operations that exist', () => {
    const page = pageOf(entry);
    const named = plainTextOf(page).match(/(?<![\w/.-])[a-z]+[A-Z]\w*/g) ?? [];
    expect(named.filter((word) => ids.has(word) && word !== entry.id)).toEqual([]);
    const linked = [...page.matchAll(/href="\/portal\/api\/reference\/(\w+)"/g)].map(([, id = '']) => id);
    expect(linked.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('has samples in five languages, and in Terraform where a module makes the resource', () => {
    const languages = contentFor(entry, sources).samples.map(({ language }) => language);
    expect(languages.slice(0, 5)).toEqual(['curl', 'CLI', 'TypeScript', 'Python', 'Go']);
    const hasModule = sources.iac.resources.some(({ create }) => create.id === entry.id);
    if (hasModule) expect(languages).toContain('Terraform');
  });
});
