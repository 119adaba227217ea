/** Baseline for refusals: node:http that sends prepared bytes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Recording } from './recorded-answer.ts';

const { status, headers, body } = JSON.parse(process.env['BENCH_ANSWER'] ?? '{}') as Recording;

const server = createServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
  response.writeHead(status, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
