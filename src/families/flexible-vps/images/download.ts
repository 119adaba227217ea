/** From an address that a customer named into a file of ours. What may be called is decided anew for every redirect. */
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
  /** `total`: null where the server does not say. */
  onProgress(bytes: number, total: number | null): void;
}

export interface Fetched {
  readonly bytes: number;
  readonly sha256: string;
}

/** Never more of an address than its host: the rest may be a secret. */
const nameOf = (url: URL): string => hostOf(url);

/** Also for redirects: what the first address may not be, none may. */
export function urlFault(url: URL): string | null {
  if (url.protocol !== 'https:') return 'Must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'Must not hold a user or password.';
  return null;
}

function explain(error: unknown, url: URL): unknown {
  if (!(error instanceof NoAnswer)) return error;
  const host = nameOf(url);
  switch (error.fault) {
    case 'timeout':
      return new ImportFailed('timeout', `${host} said nothing for too long.`);
    case 'blocked_address':
      return new ImportFailed('blocked_address', `${host} has an address that may not be called.`);
    case 'dns':
      return new ImportFailed('fetch_failed', `There is no address for ${host}.`);
    case 'tls':
      return new ImportFailed('fetch_failed', `${host} has no certificate that can be trusted.`);
    case 'connect':
      return new ImportFailed('fetch_failed', `${host} cannot be reached.`);
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
      throw new ImportFailed('fetch_failed', `${nameOf(url)} redirects to what is no https address.`);
    url = next;
  }
}

/** Whatever was in the file is replaced. */
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
    throw new ImportFailed('fetch_failed', `${nameOf(url)} broke off after ${bytes} bytes.`);
  });
  return { bytes, sha256: hash.digest('hex') };
}

/** Our own trouble is none of the customer's: it is tried again. */
export const isOfDisk = (error: unknown): boolean =>
  ['ENOSPC', 'EIO', 'EROFS', 'EACCES', 'EDQUOT', 'EMFILE'].includes(
    (error as NodeJS.ErrnoException | null)?.code ?? '',
  );
