/** Writes one log line and updates the metrics for each answered request. Never logs a query, a body or a key. */
import type { FastifyInstance } from 'fastify';
import type { Exchange } from '../../kernel/exchange.ts';
import { openRequestLog } from '../../kernel/log.ts';
import type { Services } from '../../kernel/services.ts';

export interface Observer {
  answered(exchange: Exchange, status: number, milliseconds: number): void;
  /** The client disconnected, so no answer was sent; the call was executed all the same. */
  abandoned(exchange: Exchange): void;
}

export function openObserver({ metrics, log }: Services): Observer {
  const writeLine = openRequestLog(log);
  return {
    answered(exchange, status, milliseconds) {
      metrics.requests.answered(exchange.endpoint?.id ?? 'none', status, milliseconds / 1000);
      writeLine({
        requestId: exchange.requestId,
        endpoint: exchange.endpoint,
        method: exchange.incoming.method,
        path: exchange.incoming.path,
        status,
        milliseconds: Math.round(milliseconds * 10) / 10,
        clientIp: exchange.client.address.text,
        accountId: exchange.caller?.account.id,
        keyPublicId: exchange.caller?.key?.publicId,
      });
    },
    abandoned({ endpoint, requestId, client }) {
      const operation = endpoint?.id ?? 'none';
      metrics.requests.aborted(operation);
      log.info(
        { request_id: requestId, operation, client_ip: client.address.text },
        'client disconnected before its answer',
      );
    },
  };
}

/** Observes pages that are not API endpoints. Pages without an exchange, such as the probes, are not logged. */
export function observePages(app: FastifyInstance, observer: Observer): void {
  app.addHook('onResponse', ({ exchange }, { statusCode, elapsedTime }, done) => {
    if (exchange !== undefined) observer.answered(exchange, statusCode, elapsedTime);
    done();
  });
  app.addHook('onRequestAbort', ({ exchange }, done) => {
    if (exchange !== undefined) observer.abandoned(exchange);
    done();
  });
}
