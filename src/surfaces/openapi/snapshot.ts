import type { Registry } from '../../kernel/registry.ts';
import { openapiDocument } from './document.ts';
import { EXAMPLE_ADDRESS } from './example-address.ts';
import type { OpenApiDocument } from './model.ts';
import { version } from './version.ts';

/** The document of an example provider, so that the committed file does not depend on a local configuration. */
export function exampleDocument(registry: Registry): OpenApiDocument {
  return openapiDocument(registry, {
    baseUrl: EXAMPLE_ADDRESS,
    docsUrl: 'https://docs.example.com',
    providerName: 'Hostplane',
    supportEmail: 'support@example.com',
    version,
  });
}

/** The text of the committed openapi.json, in which every change of the API shows up as a diff. */
export function snapshotText(registry: Registry): string {
  return `${JSON.stringify(exampleDocument(registry), null, 2)}\n`;
}
