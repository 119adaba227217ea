/** Health, readiness and metrics pages for operators and load balancers. The rate limit does not count them. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { cidrContains, parseCidr } from '../../kernel/net/cidr.ts';
import type { Services } from '../../kernel/services.ts';
import { knownClient } from './known-client.ts';

export interface Component {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly detail?: string;
}

export interface Health {
  /** If one component is down, the server is not ready and should get no traffic. A degraded server still serves. */
  check(): Promise<Record<string, Component>>;
}

/** A scrape formats all metrics, so scrapes within a second share one text. */
const FRESH_MS = 1_000;

function worst(components: Record<string, Component>): Component['status'] {
  const statuses = Object.values(components).map(({ status }) => status);
  return statuses.includes('down') ? 'down' : statuses.includes('degraded') ? 'degraded' : 'ok';
}

export function serveSystem(app: FastifyInstance, services: Services, health: Health): void {
  /** A request through a proxy that is not trusted, or that names no client, has an unknown client: it is refused. */
  const mayReadMetrics = (request: IncomingMessage): boolean => {
    const client = knownClient(request, services.trustedProxies);
    if (client === null) return false;
    const ranges = services.provider.server.metrics_allow_from;
    const allowed = ranges.flatMap((range) => parseCidr(range)?.cidr ?? []);
    return allowed.some((range) => cidrContains(range, client));
  };

  // Many load balancers send HEAD, because they need only the status.
  const page = (url: string, handler: RouteHandlerMethod): void => {
    app.route({ method: ['GET', 'HEAD'], url, handler });
  };

  let rendered: { readonly text: Promise<string>; readonly at: number } | undefined;
  const renderMetrics = (): Promise<string> => {
    const now = performance.now();
    if (rendered === undefined || now - rendered.at >= FRESH_MS)
      rendered = { text: services.metrics.render(), at: now };
    return rendered.text;
  };

  page('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));

  page('/readyz', async (_request, reply) => {
    const components = await health.check();
    const status = worst(components);
    reply.code(status === 'down' ? 503 : 200).header('cache-control', 'no-store');
    return { status, components };
  });

  page('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request.raw)) return reply.callNotFound();
    return reply.header('content-type', services.metrics.contentType).send(await renderMetrics());
  });
}
