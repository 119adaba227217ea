/** Caches the serialized document, because writing YAML takes long enough to delay other requests. */
import { createHash } from 'node:crypto';
import type { Services } from '../../kernel/services.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import { openapiDocument } from './document.ts';
import { factsOf } from './facts.ts';
import type { OpenApiDocument } from './model.ts';
import { forCaller } from './subset.ts';
import { version } from './version.ts';
import { asYaml } from './yaml.ts';

export type Format = 'json' | 'yaml';

export interface Edition {
  readonly text: string;
  readonly etag: string;
}

/** The number of cached partial documents. Few are enough, because most keys are created from a few presets. */
const MAX_PARTS = 64;

const writers: Readonly<Record<Format, (document: OpenApiDocument) => string>> = {
  json: (document) => JSON.stringify(document),
  yaml: asYaml,
};

export class Publication {
  readonly #services: Services;
  readonly #editions = new Map<string, Edition>();
  readonly #parts = new Map<string, string>();
  #document: OpenApiDocument | undefined;
  /** The configuration that the cached texts were written for. */
  #provider: ProviderConfig | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  whole(format: Format): Edition {
    this.#forgetOld();
    const known = this.#editions.get(format);
    if (known !== undefined) return known;
    const text = writers[format](this.#read());
    const edition = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    this.#editions.set(format, edition);
    return edition;
  }

  document(): OpenApiDocument {
    this.#forgetOld();
    return this.#read();
  }

  /** The part of the document with these operations; their ids come in the order of the registry. */
  partWith(allowed: readonly string[], format: Format): string {
    this.#forgetOld();
    const name = `${format} ${allowed.join(' ')}`;
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    const text = writers[format](forCaller(this.#read(), new Set(allowed)));
    const oldest = this.#parts.size >= MAX_PARTS ? this.#parts.keys().next() : undefined;
    if (oldest && !oldest.done) this.#parts.delete(oldest.value);
    this.#parts.set(name, text);
    return text;
  }

  #forgetOld(): void {
    const { provider } = this.#services;
    if (this.#provider === provider) return;
    this.#provider = provider;
    this.#document = undefined;
    this.#editions.clear();
    this.#parts.clear();
  }

  #read(): OpenApiDocument {
    const { registry, provider, baseUrl, docsUrl } = this.#services;
    this.#document ??= openapiDocument(registry, { ...factsOf(provider), baseUrl, docsUrl, version });
    return this.#document;
  }
}

const publications = new WeakMap<Services, Publication>();

/** One publication for all surfaces of a process, so that they serve the same document and write it once. */
export function publicationOf(services: Services): Publication {
  const known = publications.get(services);
  if (known !== undefined) return known;
  const made = new Publication(services);
  publications.set(services, made);
  return made;
}
