/**
 * Serves the files for infrastructure as code below `/iac/`. They contain nothing of an account, so they need no key, and
 * the rate limit does not count them. They are made from the live document at the first request and kept until it changes.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { identify, type OpenExchange } from '../openapi/admission.ts';
import { isKnown } from '../openapi/etag.ts';
import { publicationOf } from '../openapi/publication.ts';
import { ARCHIVE, type IacFile, iacOf } from './files.ts';
import type { Part } from './parts.ts';
import { NOTHING_STARTED } from './terraform/poll.ts';

const types: Readonly<Record<string, string>> = {
  gz: 'application/gzip',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
};

const typeOf = (path: string): string =>
  types[path.slice(path.lastIndexOf('.') + 1)] ?? 'text/plain; charset=utf-8';

interface Shelf {
  readonly hash: string;
  readonly files: ReadonlyMap<string, IacFile>;
  readonly parts: readonly Part[];
}

/** The list of all files, which tools read to download what they lack. Archives have the same files again. */
function listing({ hash, files, parts }: Shelf): string {
  const rows = [...files.values()]
    .filter(({ path }) => !path.endsWith('.tar.gz'))
    .map(({ path, body, sha256 }) => ({ path, size: body.length, sha256 }));
  const list = { specification_sha256: hash, archive: `/iac/${ARCHIVE}`, parts, files: rows };
  return `${JSON.stringify(list, null, 2)}
`;
}

export function serveIac(app: FastifyInstance, services: Services, openExchange: OpenExchange): void {
  const publication = publicationOf(services);
  let kept: Shelf | undefined;

  const shelf = (): Shelf => {
    const hash = publication.whole('json').etag.replaceAll('"', '');
    if (kept?.hash !== hash) {
      const { files, parts } = iacOf(publication.document(), hash);
      kept = { hash, files: new Map(files.map((file) => [file.path, file])), parts };
    }
    return kept;
  };

  const send = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const { '*': path = '' } = request.params as { '*'?: string };
    const here = shelf();
    const file = here.files.get(path);
    if (path !== '' && file === undefined)
      throw new Problem('not_found', {
        detail: `There is no file ${path}. GET /iac/ lists all files.`,
      });
    const etag = `"${file?.sha256 ?? here.hash}"`;
    reply.headers({
      ...request.exchange.headers,
      etag,
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
    });
    if (isKnown(request, etag)) return reply.code(304).send();
    if (file === undefined) return reply.type('application/json').send(listing(here));
    return reply.type(typeOf(path)).send(file.body);
  };

  const onRequest = async (request: FastifyRequest): Promise<void> => {
    request.exchange = await identify(openExchange(request), services);
  };
  app.get(NOTHING_STARTED, { onRequest }, async (request, reply) => {
    reply.headers({ ...request.exchange.headers, 'operation-status': 'succeeded' });
    return reply
      .type('text/plain; charset=utf-8')
      .send('The call has started no operation, so there is nothing to wait for.\n');
  });
  for (const url of ['/iac', '/iac/*'])
    app.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest,
      handler: async (request, reply) => send(request, reply),
    });
}
