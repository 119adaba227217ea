/** The OpenAPI document of a server, kept on disk and asked for again by its ETag. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../contexts/folders.ts';
import { writePrivately } from '../contexts/private-file.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { type Client, Refused } from '../http/client.ts';
import { ConnectionFailure } from '../http/connection-failure.ts';
import type { Io } from '../io.ts';
import { Document } from './document.ts';

/** The server allows copies to be used for a minute (Cache-Control); commands change far more rarely. */
const FRESH_MS = 10 * 60_000;

interface Copy {
  readonly etag: string;
  readonly checkedAt: number;
  readonly document: object;
}

const fileOf = (io: Io, url: string): string =>
  join(cacheFolder(io.env), `${createHash('sha256').update(url).digest('hex').slice(0, 24)}.json`);

/** The first line has the ETag and the time, the rest is the document as it came. */
async function readCopy(path: string): Promise<Copy | null> {
  try {
    const text = await readFile(path, 'utf8');
    const end = text.indexOf('\n');
    const { etag, checkedAt } = JSON.parse(text.slice(0, end)) as Copy;
    return { etag, checkedAt, document: JSON.parse(text.slice(end + 1)) as object };
  } catch {
    return null;
  }
}

export class DocumentCache {
  readonly #io: Io;
  readonly #client: Client;

  constructor(io: Io, client: Client) {
    this.#io = io;
    this.#client = client;
  }

  /** `isFresh`: asks the server even if the copy is young. */
  async read(isFresh = false): Promise<Document> {
    const path = fileOf(this.#io, this.#client.url);
    const copy = await readCopy(path);
    const age = Date.now() - (copy?.checkedAt ?? 0);
    if (copy !== null && !isFresh && age >= 0 && age < FRESH_MS) return new Document(copy.document);
    try {
      const headers = copy === null ? {} : { 'if-none-match': copy.etag };
      const {
        status,
        body,
        headers: answered,
      } = await this.#client.call({
        method: 'GET',
        path: '/openapi.json',
        headers,
      });
      const document = status === 304 ? copy?.document : body;
      if (!isDocument(document)) throw this.#noDocument();
      await this.#keep(path, String(answered.etag ?? copy?.etag ?? ''), document);
      return new Document(document);
    } catch (error) {
      // The call itself will say that there is no connection; until then the copy is good enough.
      if (copy !== null && error instanceof ConnectionFailure) return new Document(copy.document);
      if (error instanceof Refused && error.problem.status === 404) throw this.#noDocument();
      throw error;
    }
  }

  /** The copy on disk, however old; for help and completion, which never wait for a network. */
  async glance(): Promise<Document | null> {
    const copy = await readCopy(fileOf(this.#io, this.#client.url));
    return copy && new Document(copy.document);
  }

  /** A cache that cannot be written costs time, nothing else. */
  async #keep(path: string, etag: string, document: object): Promise<void> {
    const head = JSON.stringify({ etag, checkedAt: Date.now() });
    await writePrivately(path, `${head}\n${JSON.stringify(document)}`).catch(() => undefined);
  }

  #noDocument(): Failure {
    return new Failure(
      `${this.#client.url} answers, but it is no Hostplane server: its /openapi.json has no operations. Check the address.`,
      exitCodes.noConnection,
    );
  }
}

const isDocument = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && 'paths' in value && 'openapi' in value;
