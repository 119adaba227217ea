/**
 * Serves the customers' command line: `/cli.sh` installs it, `/cli.tgz` is the package. Both contain nothing of an account,
 * so they need no key, and the rate limit does not count them.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { identify, type OpenExchange } from '../openapi/admission.ts';
import { isKnown } from '../openapi/etag.ts';
import { installScript } from './install-script.ts';
import { type CliPackage, readCliPackage } from './package.ts';

interface File {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

function filesOf(url: string, built: CliPackage): Readonly<Record<string, File>> {
  const file = (type: string, body: Buffer): File => ({
    type,
    body,
    etag: `"${createHash('sha256').update(body).digest('hex')}"`,
  });
  return {
    '/cli.sh': file('text/x-shellscript; charset=utf-8', Buffer.from(installScript(url, built))),
    '/cli.tgz': file('application/gzip', built.archive),
  };
}

export function serveCliPackage(
  app: FastifyInstance,
  services: Services,
  openExchange: OpenExchange,
  built: CliPackage | undefined = readCliPackage(),
): void {
  let kept: { readonly url: string; readonly files: Readonly<Record<string, File>> } | undefined;

  /** The script names the address of the server, which is known only when it listens. */
  const files = (): Readonly<Record<string, File>> => {
    const url = services.baseUrl;
    if (kept?.url !== url) kept = { url, files: built === undefined ? {} : filesOf(url, built) };
    return kept.files;
  };

  const send = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const file = files()[request.routeOptions.url ?? ''];
    if (file === undefined)
      throw new Problem('not_found', { detail: 'The command line is not part of this installation.' });
    reply.headers({
      ...request.exchange.headers,
      etag: file.etag,
      'cache-control': 'public, max-age=60',
      'x-content-type-options': 'nosniff',
    });
    if (isKnown(request, file.etag)) return reply.code(304).send();
    return reply.type(file.type).send(file.body);
  };

  for (const url of ['/cli.sh', '/cli.tgz'])
    app.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest: async (request) => {
        request.exchange = await identify(openExchange(request), services);
      },
      handler: async (request, reply) => send(request, reply),
    });
}
