/**
 * Baseline for waking many callers: node:http that holds requests and then answers all with prepared bytes.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WOKEN_AT_ONCE } from '../src/kernel/waiting/waiters.ts';
import type { Recording } from './recorded-answer.ts';

const { status, headers, body } = JSON.parse(process.env['BENCH_ANSWER'] ?? '{}') as Recording;

const held: ServerResponse[] = [];

function releaseSome(): void {
  for (const response of held.splice(0, WOKEN_AT_ONCE)) {
    response.writeHead(status, headers);
    response.end(body);
  }
  if (held.length > 0) setImmediate(releaseSome);
}

const server = createServer({ keepAliveTimeout: 72_000 }, ({ url }, response) => {
  // Uses the metric names of the product, so that the bench can read both in the same way.
  if (url === '/metrics') response.end(`held_waiters ${held.length}\nheld_pool_waiting 0\n`);
  else if (url === '/release') response.end(() => setImmediate(releaseSome));
  else held.push(response);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
