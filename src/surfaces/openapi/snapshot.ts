import type { Registry } from '../../kernel/registry.ts';
import { openapiDocument } from './document.ts';
import type { OpenApiDocument } from './model.ts';
import { version } from './version.ts';

/** The document of a provider that does not exist: what is committed must not depend on whose installation wrote it. */
export function exampleDocument(registry: Registry): OpenApiDocument {
  return openapiDocument(registry, {
    baseUrl: 'https://api.example.com',
    docsUrl: 'https://docs.example.com',
    providerName: 'Hostplane',
    version,
  });
}

/** As it is committed in openapi.json, where every change of the API shows as a difference. */
export function snapshotText(registry: Registry): string {
  return `${JSON.stringify(exampleDocument(registry), null, 2)}\n`;
}
