/** Downloads a URL of a customer into a local file. Every redirect is checked again, like the first URL. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Egress, type EgressStream, hostOf, NoAnswer } from '../../../kernel/net/egress.ts';
import {
  LEAST_RATE,
  readWithin,
  TooSlow,
  Transfer,
  type TransferLimits,
} from '../../../kernel/net/transfer.ts';
import { ImportFailed } from './failure.ts';
import { growingBy, NoRoom } from './scratch-room.ts';

const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** The total is for the answer and all redirects before it. The time for the bytes of the file is added to it. */
const LIMITS: TransferLimits = { silenceMs: 60_000, totalMs: 60_000, rate: LEAST_RATE };

export interface Fetching {
  readonly maxBytes: number;
  /** The longest time for the download, however large the file is. The rest of the operation needs time, too. */
  readonly mostMs: number;
  readonly signal: AbortSignal;
  readonly limits?: TransferLimits;
  /** Called with the size of the file before any of its bytes is stored, and with more if the size is not known. */
  reserve(bytes: number): Promise<void>;
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

const KIB = 1024;
const FASTER = 'Put the file on a faster server, or make it smaller, and import it again.';

function explainSlowness(host: string, { cause }: NoAnswer): ImportFailed {
  const limit = cause instanceof TooSlow ? cause.limit : 'silence';
  if (limit === 'silence') return new ImportFailed('timeout', `${host} sent no data for too long.`);
  const { bytesPerSecond, windowMs } = LEAST_RATE;
  const what =
    limit === 'rate'
      ? `${host} sent less than ${bytesPerSecond / KIB} KiB per second over ${windowMs / 1000} seconds.`
      : `${host} did not send the whole file in the time that a file of its size may take.`;
  return new ImportFailed('too_slow', `${what} ${FASTER}`);
}

function explain(error: unknown, url: URL): unknown {
  if (!(error instanceof NoAnswer)) return error;
  const host = nameOf(url);
  switch (error.fault) {
    case 'timeout':
      return explainSlowness(host, error);
    case 'blocked_address':
      return new ImportFailed(
        'blocked_address',
        `The host ${host} has an address that is not allowed; use a public address.`,
      );
    case 'dns':
      return new ImportFailed('fetch_failed', `The host ${host} could not be resolved to an address (DNS).`);
    case 'tls':
      return new ImportFailed('fetch_failed', `The TLS certificate of ${host} is not trusted.`);
    case 'connect':
      return new ImportFailed('fetch_failed', `${host} could not be reached.`);
  }
}

async function openAt(
  egress: Egress,
  first: URL,
  { signal }: Fetching,
  transfer: Transfer,
): Promise<EgressStream & { url: URL }> {
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'hostplane-import' };
  for (let url = first, redirects = 0; ; redirects++) {
    const answer = await egress.open(url, { headers, transfer, signal }).catch((error: unknown) => {
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
  const transfer = new Transfer(fetching.limits ?? LIMITS);
  try {
    const answer = await openAt(egress, from, fetching, transfer);
    try {
      return await receive(answer, file, fetching, transfer);
    } finally {
      answer.body.destroy();
    }
  } finally {
    transfer.end();
  }
}

async function receive(
  { status, headers, body, url }: EgressStream & { url: URL },
  file: string,
  { maxBytes, mostMs, signal, reserve, onProgress }: Fetching,
  transfer: Transfer,
): Promise<Fetched> {
  const length = Number(headers['content-length'] ?? Number.NaN);
  const total = Number.isFinite(length) ? length : null;
  const tooLarge = () => new ImportFailed('too_large', `The file is larger than ${maxBytes} bytes.`);
  if (status !== 200)
    throw new ImportFailed('http_status', `${nameOf(url)} answered with the status ${status}.`);
  if (total !== null && total > maxBytes) throw tooLarge();
  transfer.expect(total ?? maxBytes, mostMs);
  transfer.pause();
  const growing = growingBy(reserve, maxBytes);
  if (total !== null) await growing(total);
  transfer.resume();
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of readWithin(source, transfer)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      await growing(bytes);
      hash.update(chunk);
      onProgress(bytes, total);
      yield chunk;
    }
  }
  await pipeline(body, counted, createWriteStream(file), { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ImportFailed) throw error;
    if (error instanceof NoAnswer) throw explain(error, url);
    if (isOfDisk(error) || error instanceof NoRoom) throw error;
    throw new ImportFailed('fetch_failed', `The connection to ${nameOf(url)} broke after ${bytes} bytes.`);
  });
  return { bytes, sha256: hash.digest('hex') };
}

/** Errors of this server's disk are not the customer's fault: the import is retried instead of failed. */
export const isOfDisk = (error: unknown): boolean =>
  ['ENOSPC', 'EIO', 'EROFS', 'EACCES', 'EDQUOT', 'EMFILE'].includes(
    (error as NodeJS.ErrnoException | null)?.code ?? '',
  );
