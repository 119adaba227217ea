/**
 * Serves the browser application under `/portal`. Paths without a file answer with the page of the application, which
 * then decides what to show; so the rate limit of the API counts none of them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange } from '../../kernel/exchange.ts';
import type { Services } from '../../kernel/services.ts';
import { runStages } from '../../pipeline/admission.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { requestId } from '../../pipeline/request-id.ts';
import { publicationOf } from '../openapi/publication.ts';
import { html, page, pageHeaders } from '../pages/html.ts';
import { type BuiltFile, readBuiltFiles, readLogo } from './built-files.ts';
import { portalHeaders, sendFile } from './file-answer.ts';
import { apiAddress } from './origin.ts';
import { isPublicPage } from './public-pages.ts';
import { Reference } from './reference/reference.ts';

type OpenExchange = (request: FastifyRequest) => Exchange;

/** Pages in front of the portal: a small entry of their own. */
const DOORS = new Set(['sign-in', 'sign-up', 'verify', 'recover', 'join', 'welcome']);

const hasSession = ({ headers }: FastifyRequest): boolean =>
  /(?:^|;\s*)(?:__Host-)?hp_session=/.test(headers.cookie ?? '');

const notBuilt = page(
  'The portal is not built',
  html`<h1>The portal is not built</h1>
<p>The API works. To get the portal too, run <code>npm run build</code> where Hostplane is installed, then start it
again.</p>`,
);

const textOf = (file: BuiltFile | undefined): string => file?.plain.toString('utf8') ?? '';

export function servePortalFiles(
  app: FastifyInstance,
  services: Services,
  openExchange: OpenExchange,
): boolean {
  const files = readBuiltFiles();
  if (files === undefined)
    services.log.warn('the portal is not built: run `npm run build`, then start again');
  const reference = new Reference(publicationOf(services), textOf(files?.get('index.html')), services);
  const headers = portalHeaders((services.provider.portal.base_url ?? services.baseUrl).startsWith('https:'));

  const pageFor = (path: string, base: string): BuiltFile | undefined => {
    if (path === 'logo') return readLogo(services.provider.portal.logo);
    const known = files?.get(path);
    if (known !== undefined && !path.endsWith('.html')) return known;
    if (path.startsWith('assets/')) return undefined;
    if (DOORS.has(path)) return files?.get('door.html');
    return reference.find(path, base) ?? files?.get('index.html');
  };

  const answer = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const path = ((request.params as { '*'?: string })['*'] ?? '').replace(/\/+$/, '');
    // Acts that do not exist are refused like paths of the API.
    if (path === 'v1' || path.startsWith('v1/')) return reply.callNotFound();
    const found = pageFor(path, apiAddress(services, request.raw));
    if (found === undefined) {
      if (files !== undefined) return reply.callNotFound();
      return reply
        .code(503)
        .headers({ ...request.exchange.headers, ...pageHeaders })
        .send(notBuilt);
    }
    // People without a session are led to the sign-in page before anything is loaded.
    const isClosed = found === files?.get('index.html') && !isPublicPage(`/portal/${path}`);
    if (isClosed && !hasSession(request)) {
      const next = encodeURIComponent(request.url);
      reply.headers({ ...request.exchange.headers, ...headers, 'cache-control': 'no-store' });
      return reply.redirect(path === '' ? '/portal/sign-in' : `/portal/sign-in?next=${next}`, 302);
    }
    return sendFile(request, reply, found, headers);
  };

  for (const url of ['/portal', '/portal/*'])
    app.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest: async (request) => {
        request.exchange = openExchange(request);
        await runStages([requestId, clientAddressStage], request.exchange, services);
      },
      handler: async (request, reply) => answer(request, reply),
    });
  return files !== undefined;
}
