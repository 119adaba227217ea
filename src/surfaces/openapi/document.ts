/**
 * Generates the OpenAPI 3.1 document as a pure function of the registry. All content about endpoints comes from their
 * records; nothing is maintained by hand.
 */
import { type Endpoint, isWrite } from '../../kernel/record.ts';
import type { Registry } from '../../kernel/registry.ts';
import { topicsOf } from '../../kernel/topics.ts';
import { DryRun } from '../../pipeline/dry-run-shape.ts';
import { compact } from './compact.ts';
import { webhookParameters, webhookResponses, webhooks, writeEvents } from './events.ts';
import { exampleDryRun, SharedExamples } from './examples.ts';
import type { ProviderFacts } from './facts.ts';
import { commonHeaders, headerComponents } from './headers.ts';
import { introduction } from './introduction.ts';
import { memberMarks } from './member-marks.ts';
import type { OpenApiDocument, PathItem, Verb } from './model.ts';
import { operationOf, type Pages } from './operations.ts';
import { parameterComponents } from './parameters.ts';
import { ProblemResponses, problemShape } from './problems.ts';
import { NamedSchemas } from './schemas.ts';
import { shareParameters } from './shared-parameters.ts';
import { shareResponses } from './shared-responses.ts';
import { withoutUnused } from './subset.ts';
import { tagsOf } from './tags.ts';

export interface DocumentFacts extends ProviderFacts {
  readonly baseUrl: string;
  readonly version: string;
  readonly docsUrl: string;
}

/** Of this document, which the program writes: it says nothing about the service of the provider. */
const license = { name: 'Apache License 2.0, for this description of the API', identifier: 'Apache-2.0' };

const VERBS: readonly Verb[] = ['get', 'post', 'put', 'patch', 'delete'];

function pathItem(endpoints: readonly Endpoint[], pages: Pages): PathItem {
  const verbOf = ({ method }: Endpoint): Verb => method.toLowerCase() as Verb;
  const ordered = endpoints.toSorted((a, b) => VERBS.indexOf(verbOf(a)) - VERBS.indexOf(verbOf(b)));
  return Object.fromEntries(ordered.map((endpoint) => [verbOf(endpoint), operationOf(endpoint, pages)]));
}

export function openapiDocument(registry: Registry, facts: DocumentFacts): OpenApiDocument {
  const { currency = 'EUR', providerName, supportEmail, termsUrl } = facts;
  const endpoints = registry.families.flatMap(topicsOf).flatMap((topic) => topic.endpoints);
  const pages: Pages = {
    schemas: new NamedSchemas(memberMarks(endpoints)),
    problems: new ProblemResponses(facts.docsUrl),
    examples: new SharedExamples(endpoints),
    endpoints,
  };
  pages.schemas.describeAs(DryRun, { ...DryRun, examples: [exampleDryRun(currency)] });
  writeEvents(registry, pages.schemas);
  const names = [...new Set(endpoints.map(({ path }) => path))];
  const whole = Object.fromEntries(
    names.map((name) => [
      name,
      pathItem(
        endpoints.filter(({ path }) => path === name),
        pages,
      ),
    ]),
  );
  const { paths: withParameters, parameters } = shareParameters(whole);
  const { paths, responses } = shareResponses(withParameters);
  pages.schemas.write(problemShape);
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: `${providerName} API`,
      version: facts.version,
      description: introduction,
      ...(termsUrl == null ? {} : { termsOfService: termsUrl }),
      license,
      ...(supportEmail === undefined ? {} : { contact: { name: providerName, email: supportEmail } }),
    },
    externalDocs: { description: 'Guides and the catalogue of errors', url: facts.docsUrl },
    servers: [{ url: facts.baseUrl }],
    security: [{ apiKey: [] }],
    ...tagsOf(registry.families),
    paths,
    webhooks: webhooks(registry, pages.schemas),
    components: {
      schemas: pages.schemas.list(),
      responses: { ...responses, ...pages.problems.list(), ...webhookResponses },
      examples: { ...pages.examples.list(), ...pages.problems.examples() },
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
    'x-common-headers': commonHeaders(endpoints.some(isWrite)),
    'x-egress-addresses': facts.egressAddresses ?? [],
  };
  return compact(withoutUnused(document));
}
