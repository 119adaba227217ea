/**
 * Serves the document at `/openapi.json` and `/openapi.yaml`. Everyone may read the whole document; with `?for=me` it
 * contains only the operations that the caller's key may call. The rate limit counts only `?for=me`, because that
 * request checks a key and builds a document.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, Problem } from '../../kernel/problems/problem.ts';
import { convertQuery } from '../../kernel/query-string.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { OneOf, Shape, Type } from '../../kernel/schema.ts';
import type { Services } from '../../kernel/services.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { authenticate, identify, type OpenExchange } from './admission.ts';
import { isKnown } from './etag.ts';
import { type Format, publicationOf } from './publication.ts';

const Query = Shape({ for: Type.Optional(OneOf(['me'])) });
const mediaTypes: Readonly<Record<Format, string>> = { json: 'application/json', yaml: 'application/yaml' };

function asksForPart(query: unknown): boolean {
  const { values, errors } = convertQuery(Query, query as Record<string, unknown>);
  const faults = [...errors, ...faultsOf(Query, values, 'query')];
  if (faults.length > 0) throw invalid(faults);
  return values['for'] === 'me';
}

/** The endpoint as which `?for=me` is checked; it needs a valid key and no special permission. */
function findMyApis({ registry }: Services): Endpoint {
  const record = registry.endpoints.find(({ id }) => id === 'listMyApis');
  if (record === undefined) {
    throw new Error(
      'The registry has no listMyApis, as which /openapi.json?for=me is checked; add its family.',
    );
  }
  return record;
}

export function serveOpenapi(app: FastifyInstance, services: Services, openExchange: OpenExchange): void {
  const publication = publicationOf(services);
  const myApis = findMyApis(services);

  const serve = async (format: Format, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { exchange } = request;
    reply.headers(exchange.headers);
    if (asksForPart(request.query)) {
      const caller = await authenticate(exchange, services, myApis);
      reply.headers({ ...exchange.headers, 'cache-control': 'private, no-store' });
      const callable = services.registry.endpoints.filter((endpoint) => caller.decide(endpoint).allowed);
      const part = publication.partWith(
        callable.map(({ id }) => id),
        format,
      );
      return reply.type(mediaTypes[format]).send(part);
    }
    const { text, etag } = publication.whole(format);
    reply.headers({ etag, 'cache-control': 'public, max-age=60', 'access-control-allow-origin': '*' });
    if (isKnown(request, etag)) return reply.code(304).send();
    return reply.type(mediaTypes[format]).send(text);
  };

  const onRequest = async (request: FastifyRequest): Promise<void> => {
    request.exchange = await identify(openExchange(request), services);
  };
  for (const format of ['json', 'yaml'] as const) {
    const url = `/openapi.${format}`;
    app.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest,
      handler: (request, reply) => serve(format, request, reply),
    });
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      onRequest,
      handler: () => {
        throw new Problem('method_not_allowed', {
          detail: 'The document can only be read.',
          headers: { allow: 'GET, HEAD' },
        });
      },
    });
  }
}
