/** Sends files to whoever has their link. The link is the right to the file, so no key is needed. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DOWNLOAD_PATH, type Download } from '../../kernel/downloads.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { runStages } from '../../pipeline/admission.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { requestId } from '../../pipeline/request-id.ts';
import { openExchange } from './exchange.ts';

async function findDownload(services: Services, id: string, token: string): Promise<Download> {
  for (const family of services.registry.families) {
    const found = await family.findDownload?.(services, id, token);
    if (found) return found;
  }
  throw new Problem('not_found', { detail: 'The link is wrong or has expired, or the file is gone.' });
}

interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** One range of bytes. Null: the whole file is sent, also for headers that this server does not understand. */
function rangeOf(header: string | undefined, size: number): Range | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return from < to ? { from, to } : 'unsatisfiable';
}

function send(request: FastifyRequest, reply: FastifyReply, { name, sizeBytes, sha256, read }: Download) {
  const etag = `"${sha256}"`;
  const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
  const range = isSame ? rangeOf(request.headers.range, sizeBytes) : null;
  reply.headers({
    ...request.exchange.headers,
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-disposition': `attachment; filename="${name}"`,
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  });
  if (range === 'unsatisfiable')
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send('');
  const { from, to } = range ?? { from: 0, to: sizeBytes };
  if (range !== null) reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${sizeBytes}`);
  reply.header('content-length', String(to - from));
  if (request.method === 'HEAD') return reply.send('');
  const gone = new AbortController();
  request.raw.once('close', () => gone.abort());
  return reply.send(Readable.from(read(from, to, gone.signal), { objectMode: false }));
}

export function serveDownloads(app: FastifyInstance, current: () => Services): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOAD_PATH}:id`,
    onRequest: async (request) => {
      request.exchange = openExchange(request);
      await runStages([requestId, clientAddressStage], request.exchange, current());
    },
    handler: async (request, reply) => {
      const { id } = request.params as { id: string };
      const { token } = request.query as { token?: unknown };
      const found = await findDownload(current(), id, typeof token === 'string' ? token : '');
      return send(request, reply, found);
    },
  });
}
