/**
 * Serves the pages that people find who open the address of the API: `/` and `/docs`. A browser gets HTML, or is led to
 * the portal; other clients get JSON. The pages contain nothing of an account, so they need no key and the rate limit does not count them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange } from '../../kernel/exchange.ts';
import type { Services } from '../../kernel/services.ts';
import { runStages } from '../../pipeline/admission.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { requestId } from '../../pipeline/request-id.ts';
import {
  approvalsPage,
  docsPage,
  errorPage,
  errorsPage,
  indexPage,
  type Page,
  strayPage,
} from './content.ts';
import { pageHeaders } from './html.ts';

const wantsHtml = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/.test(headers.accept ?? '');

/** Where the portal shows people the same. A fragment such as the id of an approval stays in the address. */
const portalPages: Readonly<Record<string, string>> = {
  '/': '/portal',
  '/docs': '/portal/api/reference',
  '/docs/approvals': '/portal/approvals',
  '/docs/errors': '/portal/api/reference/errors',
  '/docs/errors/:code': '/portal/api/reference/errors/:code',
};

export function servePages(
  app: FastifyInstance,
  services: Services,
  version: string,
  openExchange: (request: FastifyRequest) => Exchange,
  /** The origin at which a browser that asked this host finds the portal; empty: the same. Null: there is no portal. */
  portalFor: ((host: string) => string) | null = null,
): void {
  const identify = async (request: FastifyRequest): Promise<void> => {
    request.exchange = openExchange(request);
    await runStages([requestId, clientAddressStage], request.exchange, services);
  };

  const send = (request: FastifyRequest, reply: FastifyReply, page: Page | undefined): unknown => {
    if (page === undefined) return reply.callNotFound();
    reply.headers({ ...request.exchange.headers, vary: 'Accept', 'cache-control': 'public, max-age=60' });
    const { code = '' } = request.params as { readonly code?: string };
    const target = wantsHtml(request)
      ? portalPages[request.routeOptions.url ?? '']?.replace(':code', code)
      : undefined;
    if (portalFor !== null && target !== undefined)
      return reply.redirect(portalFor(request.headers.host ?? '') + target, 302);
    if (wantsHtml(request)) return reply.headers(pageHeaders).send(page.html);
    return reply.type('application/json').send(`${JSON.stringify(page.json, null, 2)}\n`);
  };

  const serve = (url: string, pageOf: (request: FastifyRequest) => Page | undefined): void => {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest: identify,
      handler: async (request, reply) => send(request, reply, pageOf(request)),
    });
  };

  const fixed: readonly [string, Page][] = [
    ['/', indexPage(services, version)],
    ['/docs', docsPage(services, version)],
    ['/docs/errors', errorsPage()],
    ['/docs/approvals', approvalsPage()],
  ];
  for (const [url, page] of fixed) serve(url, () => page);
  const stray = strayPage(services, portalFor !== null);
  app.get('/*', { onRequest: identify }, async (request, reply) => {
    if (!wantsHtml(request)) return reply.callNotFound();
    const headers = {
      ...request.exchange.headers,
      ...pageHeaders,
      vary: 'Accept',
      'cache-control': 'no-store',
    };
    return reply.code(404).headers(headers).send(stray);
  });
  serve('/docs/errors/:code', ({ params }) => errorPage((params as { code: string }).code));
}
