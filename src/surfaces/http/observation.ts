/** One log line and one count for each request, once its answer is out. Never a query, a body or a key. */
import type { FastifyInstance } from 'fastify';
import { openRequestLog } from '../../kernel/log.ts';
import type { Services } from '../../kernel/services.ts';

export function observe(app: FastifyInstance, services: Services): void {
  const { metrics, log } = services;
  const writeLine = openRequestLog(log);
  app.addHook('onResponse', (request, reply, done) => {
    const { exchange } = request;
    if (exchange !== undefined) {
      const { endpoint } = exchange;
      const status = reply.statusCode;
      const elapsed = reply.elapsedTime;
      metrics.requests.answered(endpoint?.id ?? 'none', status, elapsed / 1000);
      writeLine({
        requestId: exchange.requestId,
        endpoint,
        method: request.method,
        path: exchange.incoming.path,
        status,
        milliseconds: Math.round(elapsed * 10) / 10,
        clientIp: exchange.client.address.text,
        accountId: exchange.caller?.account.id,
        keyPublicId: exchange.caller?.key.publicId,
      });
    }
    done();
  });
  // Nobody will read the answer, so none is sent and the hook above is not called; the call was made all the same.
  app.addHook('onRequestAbort', (request, done) => {
    const { exchange } = request;
    const operation = exchange?.endpoint?.id ?? 'none';
    metrics.requests.aborted(operation);
    log.info(
      { request_id: exchange?.requestId, operation, client_ip: exchange?.client.address.text },
      'client left before its answer',
    );
    done();
  });
}
