/** Health, readiness and metrics pages for operators and load balancers. The rate limit does not count them. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { parseAddress } from '../../kernel/net/address.ts';
import { cidrContains, parseCidr } from '../../kernel/net/cidr.ts';
import type { Services } from '../../kernel/services.ts';

export interface Component {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly detail?: string;
}

export interface Health {
  /** If one component is down, the server is not ready and should get no traffic. A degraded server still serves. */
  check(): Promise<Record<string, Component>>;
}

function worst(components: Record<string, Component>): Component['status'] {
  const statuses = Object.values(components).map(({ status }) => status);
  return statuses.includes('down') ? 'down' : statuses.includes('degraded') ? 'degraded' : 'ok';
}

export function serveSystem(app: FastifyInstance, services: Services, health: Health): void {
  const allowed = services.provider.server.metrics_allow_from.flatMap(
    (range) => parseCidr(range)?.cidr ?? [],
  );

  // Many load balancers send HEAD, because they need only the status.
  const page = (url: string, handler: RouteHandlerMethod): void => {
    app.route({ method: ['GET', 'HEAD'], url, handler });
  };

  page('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));

  page('/readyz', async (_request, reply) => {
    const components = await health.check();
    const status = worst(components);
    reply.code(status === 'down' ? 503 : 200).header('cache-control', 'no-store');
    return { status, components };
  });

  page('/metrics', async (request, reply) => {
    const peer = parseAddress(request.socket.remoteAddress ?? '');
    if (peer === null || !allowed.some((range) => cidrContains(range, peer))) return reply.callNotFound();
    return reply.header('content-type', services.metrics.contentType).send(await services.metrics.render());
  });
}
