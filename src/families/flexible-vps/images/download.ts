/** Downloads a URL of a customer into a local file. Every redirect is checked again, like the first URL. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Egress, type EgressStream, hostOf, NoAnswer } from '../../../kernel/net/egress.ts';
import { ImportFailed } from './failure.ts';

const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const SILENCE_MS = 60_000;

export interface Fetching {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly silenceMs?: number;
  /** `total` is null if the server does not send the length. */
  onProgress(bytes: number, total: number | null): void;
}

export interface Fetched {
  readonly bytes: number;
  readonly sha256: string;
}

/** Messages contain only the host of a URL, because the rest may be a secret. */
const nameOf = (url: URL): string => hostOf(url);

/** Applies to redirects as well as to the first URL. */
export function urlFault(url: URL): string | null {
  if (url.protocol !== 'https:') return 'Must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'Must not contain a user or password.';
  return null;
}

function explain(error: unknown, url: URL): unknown {
  if (!(error instanceof NoAnswer)) return error;
  const host = nameOf(url);
  switch (error.fault) {
    case 'timeout':
      return new ImportFailed('timeout', `${host} sent no data for too long.`);
    case 'blocked_address':
      return new ImportFailed(
        'blocked_address',
        `${host} has an address that is not allowed; use a public address.`,
      );
    case 'dns':
      return new ImportFailed('fetch_failed', `${host} could not be resolved to an address (DNS).`);
    case 'tls':
      return new ImportFailed('fetch_failed', `The TLS certificate of ${host} is not trusted.`);
    case 'connect':
      return new ImportFailed('fetch_failed', `${host} could not be reached.`);
  }
}

async function openAt(egress: Egress, first: URL, fetching: Fetching): Promise<EgressStream & { url: URL }> {
  const { signal, silenceMs = SILENCE_MS } = fetching;
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'hostplane-import' };
  for (let url = first, redirects = 0; ; redirects++) {
    const answer = await egress.open(url, { headers, silenceMs, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw explain(error, url);
    });
    const { location } = answer.headers;
    if (!REDIRECTS.includes(answer.status) || typeof location !== 'string') return { ...answer, url };
    answer.body.destroy();
    if (redirects === MOST_REDIRECTS)
      throw new ImportFailed('fetch_failed', `More than ${MOST_REDIRECTS} redirects.`);
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : null;
    if (next === null || urlFault(next) !== null)
      throw new ImportFailed(
        'fetch_failed',
        `${nameOf(url)} redirects to an address that is not allowed: use https, without user and password.`,
      );
    url = next;
  }
}

/** Overwrites the file if it exists. */
export async function fetchFile(
  egress: Egress,
  from: URL,
  file: string,
  fetching: Fetching,
): Promise<Fetched> {
  const { maxBytes, signal, onProgress } = fetching;
  const { status, headers, body, url } = await openAt(egress, from, fetching);
  const total = Number(headers['content-length'] ?? Number.NaN);
  const tooLarge = () => new ImportFailed('too_large', `The file is larger than ${maxBytes} bytes.`);
  if (status !== 200) {
    body.destroy();
    throw new ImportFailed('http_status', `${nameOf(url)} answered with the status ${status}.`);
  }
  if (total > maxBytes) {
    body.destroy();
    throw tooLarge();
  }
  const hash = createHash('sha256');
  let bytes = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      hash.update(chunk);
      onProgress(bytes, Number.isFinite(total) ? total : null);
      done(bytes > maxBytes ? tooLarge() : null, chunk);
    },
  });
  await pipeline(body, counting, createWriteStream(file), { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ImportFailed) throw error;
    if (error instanceof NoAnswer) throw explain(error, url);
    if (isOfDisk(error)) throw error;
    throw new ImportFailed('fetch_failed', `The connection to ${nameOf(url)} broke after ${bytes} bytes.`);
  });
  return { bytes, sha256: hash.digest('hex') };
}

/** Errors of this server's disk are not the customer's fault: the import is retried instead of failed. */
export const isOfDisk = (error: unknown): boolean =>
  ['ENOSPC', 'EIO', 'EROFS', 'EACCES', 'EDQUOT', 'EMFILE'].includes(
    (error as NodeJS.ErrnoException | null)?.code ?? '',
  );
