/**
 * One worker at a time, each in a process of its own, that a test kills in the middle of an operation. The next worker
 * takes over as soon as the lease of the killed one has expired.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { hasEnded as operationHasEnded } from '../kernel/operations/schema.ts';
import type { StoredOperation } from '../kernel/operations/store.ts';
import type { TestApp } from './app.ts';
import { operationOf } from './operations.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

const LEASE_SECONDS = 2;
const LOOK_EVERY_MS = 5;

/** A worker is killed so many milliseconds after it has begun the step, or when `isReached` says so. */
export interface Kill {
  readonly step: string;
  readonly afterMs?: number;
  readonly isReached?: () => Promise<boolean>;
}

export class KilledWorkers {
  readonly #app: TestApp;
  readonly #program: string;
  #worker: WorkerProcess | undefined;
  #replacing: Promise<void> = Promise.resolve();
  kills = 0;
  /** What happens after a worker was killed in the middle of a request, before the next one starts. */
  whileDead: () => Promise<void> = async () => undefined;

  constructor(app: TestApp, program: string) {
    this.#app = app;
    this.#program = program;
  }

  async start(): Promise<void> {
    const { connection } = this.#app.database;
    this.#worker = await startWorker(this.#program, { connection, leaseSeconds: LEASE_SECONDS });
  }

  async close(): Promise<void> {
    await this.#replacing;
    await this.#worker?.end('SIGKILL');
  }

  /** Kills the worker in the middle of a request. The lease counts as expired, so that the next one takes over at once. */
  replaceAtOnce(): Promise<void> {
    this.#replacing = this.#replacing.then(async () => {
      await this.#worker?.end('SIGKILL');
      const killed = `${this.#worker?.pid}-%`;
      const { db } = this.#app.services;
      await sql`update operations set lease_until = now() where lease_owner like ${killed}`.execute(db);
      await this.whileDead();
      await this.#replace();
    });
    return this.#replacing;
  }

  async #replace(): Promise<void> {
    await this.#worker?.end('SIGKILL');
    this.kills++;
    await this.start();
  }

  /** Resolves with false if the operation has ended or passed the step. */
  async #reaches(operationId: string, { step, afterMs = 0, isReached }: Kill): Promise<boolean> {
    for (let hasBegun = false; ; await sleep(LOOK_EVERY_MS)) {
      const { status, step: now, lease_owner } = await operationOf(this.#app, operationId);
      const isAt = now === step && lease_owner?.startsWith(`${this.#worker?.pid}-`) === true;
      if (operationHasEnded(status) || (hasBegun && now !== step)) return false;
      if (!isAt) continue;
      if (!hasBegun) await sleep(afterMs);
      hasBegun = true;
      if (isReached === undefined || (await isReached())) return true;
    }
  }

  /** Kills a worker at each of these moments, in their order, and waits for the end of the operation. */
  async endOf(operationId: string, kills: readonly Kill[]): Promise<StoredOperation> {
    for (const kill of kills) if (await this.#reaches(operationId, kill)) await this.#replace();
    return this.#end(operationId);
  }

  /** Ends all connections of the worker to PostgreSQL so many times, with these pauses in milliseconds. */
  async endOfCutOff(operationId: string, pausesMs: readonly number[]): Promise<StoredOperation> {
    for (const pause of pausesMs) {
      await sleep(pause);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(this.#app.services.db);
    }
    return this.#end(operationId);
  }

  async #end(operationId: string): Promise<StoredOperation> {
    for (;;) {
      const operation = await operationOf(this.#app, operationId).catch(() => null);
      if (operation !== null && operationHasEnded(operation.status)) return operation;
      await sleep(LOOK_EVERY_MS);
    }
  }
}
