/**
 * The reference: pages made from the live document, kept until the document changes. One document and one hash are
 * behind all of them, behind `/openapi.json` and behind the lists of the portal.
 */
import type { Services } from '../../../kernel/services.ts';
import type { Publication } from '../../openapi/publication.ts';
import { type Entry, entriesOf, type Resolver } from '../../openapi/resolved.ts';
import { forCaller } from '../../openapi/subset.ts';
import { escapeHtml } from '../../pages/html.ts';
import { type BuiltFile, madeFile } from '../built-files.ts';
import { articleOf } from './article.ts';
import { contentFor } from './content.ts';
import { errorArticle, errorsArticle } from './errors-article.ts';
import { indexArticle } from './index-article.ts';
import { type IndexedFamily, indexOf } from './index-of.ts';
import { kindsOf } from './kinds-of.ts';
import { llmsText, markdownOf } from './markdown.ts';
import { nounsOf } from './nouns.ts';
import type { SampleSources } from './samples/samples.ts';
import { sampleSourcesOf } from './samples/sources.ts';

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

export class Reference {
  readonly #publication: Publication;
  readonly #frame: string;
  readonly #services: Services;
  readonly #pages = new Map<string, BuiltFile>();
  #etag = '';
  #base = '';
  #entries: ReadonlyMap<string, Entry> = new Map();
  #families: readonly IndexedFamily[] = [];
  /** Made at the first request for a page: building the document takes a third of a second, which no start should take. */
  #sources: SampleSources | undefined;

  /** `frame` is the HTML page of the application, with a comment where the content belongs. */
  constructor(publication: Publication, frame: string, services: Services) {
    this.#publication = publication;
    this.#frame = frame;
    this.#services = services;
  }

  /**
   * `path` is the part below `/portal/`, and `base` the address of the API in what the page shows. Undefined: there is
   * no such page here.
   */
  find(path: string, base: string): BuiltFile | undefined {
    const isMade = /^api\/(reference|operations|nouns|operation-kinds)(\/|\.|$)/.test(path);
    if (path !== 'llms.txt' && !isMade) return undefined;
    const sources = this.#renew(base);
    const known = this.#pages.get(path);
    if (known !== undefined) return known;
    const made = this.#make(path, sources);
    if (made !== undefined) this.#pages.set(path, made);
    return made;
  }

  /** Forgets the pages of an old document, and those with another address. */
  #renew(base: string): SampleSources {
    const { etag } = this.#publication.whole('json');
    const isSame = etag === this.#etag;
    if (this.#sources !== undefined && isSame && base === this.#base) return this.#sources;
    const document = this.#publication.document();
    if (!isSame) {
      this.#entries = new Map(entriesOf(document).map((entry) => [entry.id, entry]));
      this.#families = indexOf(document);
    }
    this.#etag = etag;
    this.#base = base;
    this.#pages.clear();
    this.#sources = sampleSourcesOf(this.#services, base);
    return this.#sources;
  }

  #make(path: string, sources: SampleSources): BuiltFile | undefined {
    const { resolver } = sources;
    const { document } = resolver;
    const hash = this.#etag.replaceAll('"', '');
    if (path === 'api/operations.json')
      return madeFile(
        JSON_TYPE,
        JSON.stringify({ etag: hash, version: document.info.version, families: this.#families }),
      );
    if (path === 'api/nouns.json')
      return madeFile(JSON_TYPE, JSON.stringify({ families: nounsOf(document) }));
    if (path === 'api/operation-kinds.json')
      return madeFile(JSON_TYPE, JSON.stringify({ data: kindsOf(this.#services.registry) }));
    if (path === 'llms.txt')
      return madeFile(
        'text/plain; charset=utf-8',
        llmsText(document.info.title, document.info.description, this.#families, this.#base),
      );
    if (path === 'api/reference')
      return this.#page('Full reference', indexArticle('Full reference', this.#families, hash));
    const [, , name = '', code] = path.split('/');
    if (name === 'errors') return this.#errorPage(code, resolver, hash);
    if (code !== undefined) return undefined;
    const [id = '', kind = ''] = name.split('.');
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    if (path.startsWith('api/operations/') && kind === 'json')
      return madeFile(JSON_TYPE, JSON.stringify(forCaller(document, new Set([id])), null, 2));
    if (!path.startsWith('api/reference/')) return undefined;
    const content = contentFor(entry, sources);
    if (kind === 'md') return madeFile(MARKDOWN, markdownOf(content));
    if (kind !== '') return undefined;
    const family = this.#families.find(({ resources }) =>
      resources.some(({ operations }) => operations.some((operation) => operation.id === id)),
    );
    if (family === undefined) return undefined;
    const ids = new Set(this.#entries.keys());
    return this.#page(entry.operation.summary, articleOf(content, { hash, ids, family }));
  }

  #errorPage(code: string | undefined, resolver: Resolver, hash: string): BuiltFile | undefined {
    const facts = { hash, entries: [...this.#entries.values()], resolver };
    const article = code === undefined ? errorsArticle(facts) : errorArticle(code, facts);
    return article === undefined ? undefined : this.#page(code ?? 'Errors', article);
  }

  #page(title: string, article: string): BuiltFile {
    const { portal, provider } = this.#services.provider;
    const name = escapeHtml(portal.name ?? provider.name);
    // The same frame as the application's own, so that nothing moves when it takes over.
    const content = `<div class="shell"><aside class="shell-side"></aside><header class="shell-head"><span class="font-semibold md:hidden">${name}</span></header><main class="shell-main" id="content">${article}</main></div>`;
    // The content is there already: the scripts must not take the line from the style.
    const frame = this.#frame.replaceAll(
      /<(?:script type="module"|link rel="modulepreload")/g,
      '$& fetchpriority="low"',
    );
    const text = frame
      .replace('<title>Portal</title>', () => `<title>${escapeHtml(title)} · ${name}</title>`)
      .replace('<!--content-->', () => content);
    return madeFile(HTML, text);
  }
}
