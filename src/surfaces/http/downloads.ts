/**
 * Sends files to whoever has their link, without a key. The link is worth as much as the right of whoever made it: it
 * does not work, and downloads that are running are cut, once this right or the link has ended.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DOWNLOAD_PATH, type Download } from '../../kernel/downloads/download.ts';
import { findKnownLink, type KnownLink } from '../../kernel/downloads/link.ts';
import { findPassingLink } from '../../kernel/downloads/passing-link.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { Turns } from '../../kernel/turns.ts';
import { Departure } from '../../kernel/waiting/client-gone.ts';
import { runStages } from '../../pipeline/admission.ts';
import { BearerRight } from '../../pipeline/bearer-right.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { rateLimit } from '../../pipeline/rate-limit.ts';
import { requestId } from '../../pipeline/request-id.ts';
import { openExchange } from './exchange.ts';

/** The same for every link that opens nothing. */
const notThere = (): Problem =>
  new Problem('not_found', {
    detail: 'The link is wrong, has expired or was ended, or the file is gone.',
    nextStep: 'Ask whoever gave you the link for a new one.',
  });

/** A link that may be used now. */
interface Admitted {
  readonly link: KnownLink;
  readonly file: Download;
  readonly right: BearerRight;
}

async function admit(
  services: Services,
  exchange: Exchange,
  linkId: string,
  token: string,
): Promise<Admitted> {
  const link = findPassingLink(services, linkId, token) ?? (await findKnownLink(services, linkId, token));
  if (link === undefined) throw notThere();
  for (const family of services.registry.families) {
    const file = await family.findDownload?.(services, link.resourceId);
    if (!file) continue;
    const endpoint = link.endpoint ?? file.endpoint;
    const right = new BearerRight(exchange, services, { bearer: link.bearer, endpoint });
    if ((await right.check()) !== undefined) throw notThere();
    return { link, file, right };
  }
  throw notThere();
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

/** Names in other letters stand beside a name that every client can read (RFC 6266). */
function savedAs(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const inAll =
    plain === name ? '' : `; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, escaped)}`;
  return `attachment; filename="${plain}"${inAll}`;
}

const escaped = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;

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
    'content-disposition': savedAs(name),
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

  /** Calls `begin` when it is the turn of the body. Cuts the body off when the right to it ends. */
  send(
    services: Services,
    { link, file, right }: Admitted,
    { from, to }: Range,
    begin: () => FastifyReply,
  ): Promise<FastifyReply> {
    const { owner, read } = file;
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        const reply = begin();
        const { raw } = reply;
        const gone = new AbortController();
        const departure = new Departure();
        this.#running.add(raw);
        resolve(reply.send(Readable.from(read(from, to, gone.signal), { objectMode: false })));
        const lost = right
          .untilLost(departure, link.isThere)
          .catch((error: unknown) => services.log.error({ err: error }, 'a download could not be watched'))
          .finally(() => departure.hasLeft || raw.destroy());
        await finished(raw).catch(() => undefined);
        departure.leave();
        gone.abort();
        this.#running.delete(raw);
        await lost;
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
      const services = current();
      const admitted = await admit(services, request.exchange, id, typeof token === 'string' ? token : '');
      const { status, headers, body } = answerOf(request, admitted.file);
      const begin = () => reply.code(status).headers({ ...request.exchange.headers, ...headers });
      if (body === null) return begin().send('');
      if (!(await admitted.link.use())) throw notThere();
      return bodies.send(services, admitted, body, begin);
    },
  });
  return () => bodies.close();
}
