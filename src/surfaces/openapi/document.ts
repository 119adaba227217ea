/**
 * Generates the OpenAPI 3.1 document as a pure function of the registry. All content about endpoints comes from their
 * records; nothing is maintained by hand.
 */
import type { Endpoint } from '../../kernel/record.ts';
import type { Registry } from '../../kernel/registry.ts';
import { eventTypes, webhookParameters, webhookResponses, webhooks, writeEvents } from './events.ts';
import type { ProviderFacts } from './facts.ts';
import { headerComponents } from './headers.ts';
import { introduction } from './introduction.ts';
import { memberMarks } from './member-marks.ts';
import type { OpenApiDocument, PathItem, Verb } from './model.ts';
import { operationOf, type Pages } from './operations.ts';
import { parameterComponents } from './parameters.ts';
import { ProblemResponses, problemShape } from './problems.ts';
import { NamedSchemas } from './schemas.ts';
import { shareParameters } from './shared-parameters.ts';
import { withoutUnused } from './subset.ts';

export interface DocumentFacts extends ProviderFacts {
  readonly baseUrl: string;
  readonly version: string;
  readonly docsUrl: string;
}

const VERBS: readonly Verb[] = ['get', 'post', 'put', 'patch', 'delete'];

function pathItem(endpoints: readonly Endpoint[], pages: Pages): PathItem {
  const verbOf = ({ method }: Endpoint): Verb => method.toLowerCase() as Verb;
  const ordered = endpoints.toSorted((a, b) => VERBS.indexOf(verbOf(a)) - VERBS.indexOf(verbOf(b)));
  return Object.fromEntries(ordered.map((endpoint) => [verbOf(endpoint), operationOf(endpoint, pages)]));
}

export function openapiDocument(registry: Registry, facts: DocumentFacts): OpenApiDocument {
  const { currency = 'EUR', providerName, supportEmail } = facts;
  const { endpoints } = registry;
  const pages = {
    schemas: new NamedSchemas(memberMarks(endpoints)),
    problems: new ProblemResponses(),
    currency,
    endpoints,
  };
  writeEvents(registry, pages.schemas);
  const names = [...new Set(registry.endpoints.map(({ path }) => path))];
  const whole = Object.fromEntries(
    names.map((name) => [
      name,
      pathItem(
        registry.endpoints.filter(({ path }) => path === name),
        pages,
      ),
    ]),
  );
  const { paths, parameters } = shareParameters(whole);
  pages.schemas.write(problemShape(facts.docsUrl));
  return withoutUnused({
    openapi: '3.1.0',
    info: {
      title: `${providerName} API`,
      version: facts.version,
      description: introduction,
      ...(supportEmail === undefined ? {} : { contact: { name: providerName, email: supportEmail } }),
    },
    externalDocs: { description: 'Guides and the catalogue of errors', url: facts.docsUrl },
    servers: [{ url: facts.baseUrl }],
    tags: registry.families.map(({ name, title, description }) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    webhooks: webhooks(registry, pages.schemas),
    components: {
      schemas: pages.schemas.list(),
      responses: { ...pages.problems.list(), ...webhookResponses },
      parameters: { ...parameterComponents, ...webhookParameters, ...parameters },
      headers: headerComponents(),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Your API key, sent exactly once. Your provider creates keys for you.',
        },
      },
    },
    'x-egress-addresses': facts.egressAddresses ?? [],
    'x-event-types': eventTypes(registry),
  });
}
