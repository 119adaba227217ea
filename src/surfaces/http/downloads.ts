/** Sends files to whoever has their link. The link is the right to the file, so no key is needed. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DOWNLOAD_PATH, type Download } from '../../kernel/downloads.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { Turns } from '../../kernel/turns.ts';
import { runStages } from '../../pipeline/admission.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { rateLimit } from '../../pipeline/rate-limit.ts';
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

interface Answer {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the answer has no body. */
  readonly body: Range | null;
}

function answerOf({ headers, method }: FastifyRequest, { name, sizeBytes, sha256 }: Download): Answer {
  const etag = `"${sha256}"`;
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = isSame ? rangeOf(headers.range, sizeBytes) : null;
  const always = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-disposition': `attachment; filename="${name}"`,
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  };
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...always, 'content-range': `bytes */${sizeBytes}` }, body: null };
  const { from, to } = range ?? { from: 0, to: sizeBytes };
  const length = { ...always, 'content-length': String(to - from) };
  const body = method === 'HEAD' ? null : { from, to };
  if (range === null) return { status: 200, headers: length, body };
  return {
    status: 206,
    headers: { ...length, 'content-range': `bytes ${from}-${to - 1}/${sizeBytes}` },
    body,
  };
}

const AT_ONCE = 4;

/** Sends bodies. Each of them holds parts of its file in memory for as long as its client takes to read them. */
class Bodies {
  readonly #running = new Set<ServerResponse>();
  readonly #turns = new Turns<string>({
    atOnce: AT_ONCE,
    patienceMs: 2_000,
    retryAfterSeconds: 30,
    refusal: `${AT_ONCE} downloads of this account are running already.`,
  });

  /** Calls `begin` when it is the turn of the body. */
  send({ owner, read }: Download, { from, to }: Range, begin: () => FastifyReply): Promise<FastifyReply> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        const reply = begin();
        const { raw } = reply;
        const gone = new AbortController();
        this.#running.add(raw);
        resolve(reply.send(Readable.from(read(from, to, gone.signal), { objectMode: false })));
        await finished(raw).catch(() => undefined);
        gone.abort();
        this.#running.delete(raw);
      };
      this.#turns.take(owner, run).catch(reject);
    });
  }

  /** Clients continue with a range request, at another process or after the start. */
  close(): void {
    for (const raw of this.#running) raw.destroy();
  }
}

/** Returns a function that cuts the downloads that are running. */
export function serveDownloads(app: FastifyInstance, current: () => Services): () => void {
  const bodies = new Bodies();
  app.route({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOAD_PATH}:id`,
    onRequest: async (request) => {
      request.exchange = openExchange(request);
      const stages = [requestId, clientAddressStage, rateLimit];
      const refused = await runStages(stages, request.exchange, current());
      if (refused !== undefined) throw refused;
    },
    handler: async (request, reply) => {
      const { id } = request.params as { id: string };
      const { token } = request.query as { token?: unknown };
      const found = await findDownload(current(), id, typeof token === 'string' ? token : '');
      const { status, headers, body } = answerOf(request, found);
      const begin = () => reply.code(status).headers({ ...request.exchange.headers, ...headers });
      return body === null ? begin().send('') : bodies.send(found, body, begin);
    },
  });
  return () => bodies.close();
}
