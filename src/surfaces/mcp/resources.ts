/** The resources: the OpenAPI document of one operation, and the state of the account on one short page. */
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { callerOf } from '../../kernel/exchange.ts';
import { openapiDocument } from '../openapi/document.ts';
import { factsOf } from '../openapi/facts.ts';
import type { OpenApiDocument } from '../openapi/model.ts';
import { forCaller } from '../openapi/subset.ts';
import { version } from '../openapi/version.ts';
import type { Situation } from './context.ts';
import { marked } from './customer-text.ts';
import { rowSchema } from './fields.ts';
import { countThatFits, shorten, sizeOf } from './fit.ts';
import type { Json } from './results.ts';

const ACCOUNT = 'hostplane://account';
const OPERATION = 'hostplane://operations/';

export const resources = [
  {
    uri: ACCOUNT,
    name: 'account',
    title: 'State of the account',
    description: 'What the account has, what it costs, and what is going on, on one short page.',
    mimeType: 'application/json',
  },
];

export const templates = [
  {
    uriTemplate: `${OPERATION}{operation}`,
    name: 'operation',
    title: 'OpenAPI document of one operation',
    description: 'Parameters and request body as OpenAPI 3.1.',
    mimeType: 'application/json',
  },
];

/** Without the answers: with them, a document can cost more tokens than any answer may. */
export function operationDocument(document: OpenApiDocument, id: string): Json {
  const part = forCaller(document, new Set([id]));
  const paths = Object.fromEntries(
    Object.entries(part.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, { ...operation, responses: {} }]),
      ),
    ]),
  );
  const bare = { ...part, paths, webhooks: {}, 'x-common-headers': {} } as unknown as OpenApiDocument;
  const { components } = forCaller(bare, new Set([id]));
  const { schemas, parameters } = components as unknown as Record<string, Json>;
  return {
    openapi: part.openapi,
    note: `Answers are left out; the whole document is at ${part.servers[0]?.url ?? ''}/openapi.json.`,
    paths,
    components: {
      ...(schemas === undefined ? {} : { schemas }),
      ...(parameters === undefined ? {} : { parameters }),
    },
  };
}

/** The document is the same for everyone and changes only with the configuration. */
const documents = new WeakMap<object, OpenApiDocument>();

function documentOf({ services }: Situation): OpenApiDocument {
  const { registry, provider, baseUrl, docsUrl } = services;
  const known = documents.get(provider);
  if (known !== undefined) return known;
  const made = openapiDocument(registry, { ...factsOf(provider), baseUrl, docsUrl, version });
  documents.set(provider, made);
  return made;
}

/** The calls whose answers make up the page. A call that the key may not make is left out. */
const parts: readonly (readonly [name: string, operation: string, query: Json])[] = [
  ['usage', 'getUsage', {}],
  ['running_operations', 'listOperations', { status: 'running' }],
  ['budgets', 'listBudgets', {}],
  // The last, because it gets the room that the others leave.
  ['resources', 'listResources', {}],
];

/** As many as a list shows at most. */
const MOST_ROWS = 200;
const MOST_TOKENS = 1_500;
/** For each part but the last. */
const MOST_TOKENS_OF_PART = 300;

/** An account may have more rows than a list shows at once. */
const countOf = (rows: readonly Json[], hasMore: boolean): number | string =>
  hasMore ? `more than ${rows.length}` : rows.length;

async function accountPage({ api, services, exchange }: Situation): Promise<Json> {
  const page: Record<string, unknown> = {};
  const cut: Record<string, Json> = {};
  for (const [name, operation, query] of parts) {
    const endpoint = services.registry.endpoints.find(({ id }) => id === operation);
    if (endpoint === undefined || !callerOf(exchange).decide(endpoint).allowed) continue;
    const isList = endpoint.resource.role === 'list';
    const { isRefused, body } = await api.call(endpoint, {
      query: { ...query, ...(isList ? { limit: MOST_ROWS } : {}) },
    });
    if (isRefused) {
      // An empty page would say that the account has nothing.
      const { code, next_step } = body as Json;
      page[name] = { code, next_step };
      continue;
    }
    if (!isList) {
      page[name] = shorten(marked(body, endpoint.answers[200], services), MOST_TOKENS_OF_PART).value;
      continue;
    }
    const { data, next_cursor } = body as { data: readonly Json[]; next_cursor: string | null };
    const rows = data.map((row) => brief(marked(row, rowSchema(endpoint.answers[200]), services) as Json));
    const isLast = name === parts.at(-1)?.[0];
    const shown = countThatFits(rows, isLast ? MOST_TOKENS - sizeOf([page, cut]) : MOST_TOKENS_OF_PART);
    page[name] = rows.slice(0, shown);
    if (shown < rows.length || next_cursor !== null)
      cut[name] = {
        shown,
        of: countOf(rows, next_cursor !== null),
        next_step: `call_read ${operation} shows all.`,
      };
  }
  return Object.keys(cut).length === 0 ? page : { ...page, not_all: cut };
}

const SHOWN = ['id', 'type', 'status', 'location', 'price', 'step', 'amount', 'spent', 'customer_text'];

const brief = (row: Json): Json => {
  const shown = Object.entries(row).filter(([name, value]) => SHOWN.includes(name) && value !== null);
  return Object.fromEntries(
    shown.map(([name, value]) =>
      name === 'price' ? [name, (value as Json)['monthly'] ?? value] : [name, value],
    ),
  );
};

export async function readResource(situation: Situation, uri: string): Promise<string> {
  if (uri === ACCOUNT) return JSON.stringify(await accountPage(situation));
  const id = uri.startsWith(OPERATION) ? uri.slice(OPERATION.length) : '';
  if (!situation.services.registry.endpoints.some((endpoint) => endpoint.id === id))
    throw new ResourceNotFoundError(uri);
  return JSON.stringify(operationDocument(documentOf(situation), id));
}
