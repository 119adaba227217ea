/** One log line and one count for each request, once its answer is out. Never a query, a body or a key. */
import type { FastifyInstance } from 'fastify';
import { maskKeys } from '../../kernel/access/key-format.ts';
import type { Services } from '../../kernel/services.ts';

export function observe(app: FastifyInstance, services: Services): void {
  const { metrics, log } = services;
  app.addHook('onResponse', (request, reply, done) => {
    const { exchange } = request;
    if (exchange !== undefined) {
      const operation = exchange.endpoint?.id ?? 'none';
      const status = reply.statusCode;
      metrics.requests.inc({ operation, status });
      metrics.latency.observe({ operation }, reply.elapsedTime / 1000);
      log.info(
        {
          request_id: exchange.requestId,
          method: request.method,
          operation,
          path: exchange.endpoint?.path ?? maskKeys(exchange.incoming.path.slice(0, 200)),
          status,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          client_ip: exchange.client.address.text,
          account_id: exchange.caller?.account.id,
          key: exchange.caller?.key.publicId,
        },
        'request',
      );
    }
    done();
  });
  // Nobody will read the answer, so none is sent and the hook above is not called; the call was made all the same.
  app.addHook('onRequestAbort', (request, done) => {
    const { exchange } = request;
    const operation = exchange?.endpoint?.id ?? 'none';
    metrics.requests.inc({ operation, status: 'aborted' });
    log.info(
      { request_id: exchange?.requestId, operation, client_ip: exchange?.client.address.text },
      'client left before its answer',
    );
    done();
  });
}
