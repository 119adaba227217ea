/**
 * Computes digests of passwords in one thread, which is started when it is first needed. Hashing takes longer than the
 * rest of a create, and in the main thread every other request would wait for it.
 */
import { Worker } from 'node:worker_threads';
import { digestOf } from './sha512-crypt.ts';

interface Work {
  readonly password: string;
  readonly salt: string;
  readonly rounds: number;
}

interface Waiting {
  resolve(digest: Buffer): void;
  reject(error: Error): void;
}

/** The text of the function, because the bundle is one file: a thread has no file of its own to run. */
const PROGRAM = `
  const { hash } = require('node:crypto');
  const { parentPort } = require('node:worker_threads');
  const digestOf = ${digestOf};
  parentPort.on('message', ({ password, salt, rounds }) =>
    parentPort.postMessage(digestOf(hash, Buffer.from(password), Buffer.from(salt), rounds)));`;

class DigestThread {
  readonly #worker = new Worker(PROGRAM, { eval: true, execArgv: [], env: {} });
  /** In the order in which the thread answers. */
  readonly #waiting: Waiting[] = [];
  hasEnded = false;

  constructor() {
    this.#worker.on('message', (digest: Uint8Array) => {
      this.#waiting.shift()?.resolve(Buffer.from(digest));
      if (this.#waiting.length === 0) this.#worker.unref();
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`The thread that hashes ended with ${code}.`)));
  }

  digest(work: Work): Promise<Buffer> {
    this.#worker.ref();
    this.#worker.postMessage(work);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #end(error: Error): void {
    this.hasEnded = true;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

let thread: DigestThread | undefined;

export function digestInThread(work: Work): Promise<Buffer> {
  if (thread === undefined || thread.hasEnded) thread = new DigestThread();
  return thread.digest(work);
}
