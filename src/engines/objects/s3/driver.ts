/** Stores objects in a bucket of S3. An object appears whole or not at all, so interrupted calls leave nothing. */
import { createHash } from 'node:crypto';
import type { TransferLimits } from '../../../kernel/net/transfer.ts';
import { Bandwidth } from '../bandwidth.ts';
import { storeAway, storeFull } from '../faults.ts';
import type { ObjectStore, StoredObject } from '../port.ts';
import { type Bucket, S3Client, S3Error, textOf } from './client.ts';

const INSUFFICIENT_STORAGE = 507;
/** The codes of Ceph RGW for a quota, and of MinIO for full disks. */
const FULL = ['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded'];

const isMissing = (error: unknown): boolean => error instanceof S3Error && error.code === 'NoSuchKey';

function faultOf(error: unknown): Error {
  const isFull =
    error instanceof S3Error && (error.status === INSUFFICIENT_STORAGE || FULL.includes(error.code));
  return isFull ? storeFull() : storeAway(error);
}

interface S3Options extends Bucket {
  readonly location: string;
  readonly megabytesPerSecond: number | null;
  readonly limits?: TransferLimits;
}

interface Page {
  readonly objects: readonly StoredObject[];
  readonly next: string | null;
}

function pageOf(xml: string): Page {
  const entries = xml.split('<Contents>').slice(1);
  return {
    objects: entries.map((entry) => ({
      key: textOf(entry, 'Key') ?? '',
      sizeBytes: Number(textOf(entry, 'Size')),
    })),
    next: textOf(xml, 'NextContinuationToken'),
  };
}

export class S3Store implements ObjectStore {
  readonly driver = 's3';
  readonly location: string;
  readonly capabilities = {};
  readonly downloads: Bandwidth;
  readonly #client: S3Client;

  constructor({ location, megabytesPerSecond, limits, ...bucket }: S3Options) {
    this.location = location;
    this.#client = new S3Client(bucket, new Bandwidth(megabytesPerSecond), limits);
    this.downloads = new Bandwidth(megabytesPerSecond);
  }

  async put(key: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    await this.#ask('PUT', { key, body: bytes, signal });
  }

  async get(key: string, signal?: AbortSignal): Promise<Buffer | null> {
    return this.#client.send('GET', { key, signal }).catch((error: unknown) => {
      if (isMissing(error)) return null;
      signal?.throwIfAborted();
      throw faultOf(error);
    });
  }

  async list(prefix: string, signal?: AbortSignal): Promise<readonly StoredObject[]> {
    const found: StoredObject[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: Page = await this.#page(prefix, next, signal);
      found.push(...page.objects);
      next = page.next;
    }
    return found;
  }

  async removeAll(prefix: string, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const { objects } = await this.#page(prefix, '', signal);
      if (objects.length === 0) return;
      const keys = objects.map(({ key }) => `<Object><Key>${key}</Key></Object>`).join('');
      const body = Buffer.from(`<Delete><Quiet>true</Quiet>${keys}</Delete>`);
      const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
      const answer = (await this.#ask('POST', { query: { delete: '' }, headers, body, signal })).toString();
      if (answer.includes('<Error>')) throw storeAway(new S3Error(200, answer));
    }
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #page(prefix: string, after: string, signal?: AbortSignal): Promise<Page> {
    const continued = after === '' ? {} : { 'continuation-token': after };
    const query = { 'list-type': '2', prefix, ...continued };
    return pageOf((await this.#ask('GET', { query, signal })).toString());
  }

  async #ask(method: string, ask: Parameters<S3Client['send']>[1]): Promise<Buffer> {
    try {
      return await this.#client.send(method, ask);
    } catch (error) {
      ask?.signal?.throwIfAborted();
      throw faultOf(error);
    }
  }
}
