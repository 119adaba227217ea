/** The OpenAPI document of a server, kept on disk and asked for again by its ETag. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
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

interface Head {
  readonly url: string;
  readonly etag: string;
  readonly checkedAt: number;
}

interface Copy extends Head {
  readonly document: object;
}

/** Two addresses may share a name, so the head of a copy says whose it is. */
const fileOf = (io: Io, url: string): string =>
  join(cacheFolder(io.env), `${url.replaceAll(/[^\w.-]+/g, '_').slice(0, 150)}.json`);

/** Head and outline are shorter than this, unless the API has grown ten times. */
const BEGINNING = 160 * 1024;

function readBeginning(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(BEGINNING);
    return bytes.subarray(0, readSync(file, bytes, 0, BEGINNING, 0));
  } finally {
    closeSync(file);
  }
}

/** The lines of a copy: its head, an outline of the document, the document. Only the lines asked for are parsed. */
function readCopy(path: string, url: string, line: 'outline' | 'document'): Copy | null {
  try {
    const bytes = line === 'outline' ? readBeginning(path) : readFileSync(path);
    const first = bytes.indexOf('\n');
    const second = bytes.indexOf('\n', first + 1);
    const head = JSON.parse(bytes.toString('utf8', 0, first)) as Head;
    if (head.url !== url || second < 0) return null;
    const [from, to] = line === 'outline' ? [first, second] : [second, bytes.length];
    return { ...head, document: JSON.parse(bytes.toString('utf8', from, to)) as object };
  } catch {
    return null;
  }
}

function isFresh({ checkedAt }: Head): boolean {
  const age = Date.now() - checkedAt;
  return age >= 0 && age < FRESH_MS;
}

export class DocumentCache {
  readonly #io: Io;
  readonly #client: Client;

  constructor(io: Io, client: Client) {
    this.#io = io;
    this.#client = client;
  }

  /** `isAsked`: asks the server even if the copy is young. */
  async read(isAsked = false): Promise<Document> {
    const copy = this.#copy('document');
    if (copy !== null && !isAsked && isFresh(copy)) return new Document(copy.document);
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
      const read = new Document(document);
      this.#keep(String(answered.etag ?? copy?.etag ?? ''), read, document);
      return read;
    } catch (error) {
      // The call itself will say that there is no connection; until then the copy is good enough.
      if (copy !== null && error instanceof ConnectionFailure) return new Document(copy.document);
      if (error instanceof Refused && error.problem.status === 404) throw this.#noDocument();
      throw error;
    }
  }

  /** The commands without their flags, for help; null if the copy on disk is too old to answer for the server. */
  outline(): Document | null {
    const copy = this.#copy('outline');
    return copy !== null && isFresh(copy) ? new Document(copy.document) : null;
  }

  /** The same from a copy of any age: help has to work without a network. */
  glance(): Document | null {
    const copy = this.#copy('outline');
    return copy && new Document(copy.document);
  }

  #copy(line: 'outline' | 'document'): Copy | null {
    return readCopy(fileOf(this.#io, this.#client.url), this.#client.url, line);
  }

  /** A cache that cannot be written costs time, nothing else. */
  #keep(etag: string, { outline }: Document, document: object): void {
    const { url } = this.#client;
    const head: Head = { url, etag, checkedAt: Date.now() };
    const lines = [head, outline, document].map((line) => JSON.stringify(line));
    try {
      writePrivately(fileOf(this.#io, url), lines.join('\n'));
    } catch {}
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
