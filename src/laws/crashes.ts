/**
 * Runs operations with workers that crash at a chosen moment, and then with new workers that continue. The steps of
 * each kind are wrapped from outside, so that a kind needs no code for these tests.
 */
import type { Kind, Outcome, Step } from '../kernel/operations/kind.ts';
import { hasEnded } from '../kernel/operations/schema.ts';
import { requestCancel } from '../kernel/operations/store.ts';
import { type Environment, REAL } from '../operations/environment.ts';
import { Runner } from '../operations/runner.ts';
import { LEASE_SECONDS, type RunnerStore } from '../operations/runner-store.ts';
import { DatabaseRunnerStore } from '../operations/store.ts';
import { transact } from '../store/transaction.ts';
import type { TestApp } from '../testing/app.ts';
import { countDifferences } from './count-agreement.ts';
import { inventoryDifferences } from './inventory-agreement.ts';
import { meterDifferences } from './meter-agreement.ts';

export const moments = [
  'before the effect',
  'after the effect',
  'within the commit',
  'after the commit',
] as const;

/** A fault at a step of a kind. It happens the first time that the step runs. */
export interface Mishap {
  readonly type: string;
  readonly step: string;
  readonly what: (typeof moments)[number] | 'fails' | 'fails after the effect' | 'is cancelled';
}

class Death extends Error {}

/** How long at most to wait for the worker before looking at its operations. */
const LOOK_EVERY_MS = 50;

/** How far the workers' clock is ahead, so that the leases of crashed workers expire without waiting. */
let aheadMs = 0;
const environment: Environment = { ...REAL, now: () => new Date(Date.now() + aheadMs) };

class Life {
  readonly #app: TestApp;
  readonly #mishaps: Mishap[];
  readonly runner: Runner;
  isOver = false;
  #diesOnceCommitted = false;
  #hasLooked = false;
  #tell: () => void = () => undefined;

  constructor(app: TestApp, mishaps: Mishap[]) {
    this.#app = app;
    this.#mishaps = mishaps;
    const { services } = app;
    const { db, registry, log } = services;
    const kindOf = (type: string): Kind | undefined => {
      const kind = registry.kinds.get(type);
      return kind === undefined ? undefined : this.#watch(kind);
    };
    this.runner = new Runner({ store: this.#openStore(), environment, db, log, services, kindOf });
  }

  #openStore(): RunnerStore {
    const { db, registry } = this.#app.services;
    const store = new DatabaseRunnerStore(db, registry, environment);
    return new Proxy(store, {
      get: (target, name: keyof RunnerStore) => {
        const real = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          if (this.isOver) throw new Death();
          const value = await real(...args);
          if (name === 'lookAhead') this.#looked();
          if (this.#diesOnceCommitted && (name === 'advance' || name === 'end')) this.#die();
          return value;
        };
      },
    });
  }

  #die(): never {
    this.isOver = true;
    this.#looked();
    throw new Death();
  }

  #looked(): void {
    this.#hasLooked = true;
    this.#tell();
  }

  /** Waits until the worker has looked for work once more, as it does after each operation, or has crashed. */
  async untilLooked(): Promise<void> {
    if (!this.#hasLooked) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_EVERY_MS);
        this.#tell = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#hasLooked = false;
  }

  #watch(kind: Kind): Kind {
    const watched = (steps: readonly Step<never>[]): Step<never>[] =>
      steps.map((step) => ({ ...step, run: (work) => this.#run(kind, step, work) }));
    return {
      ...kind,
      steps: watched(kind.steps),
      ...(kind.undo === undefined ? {} : { undo: watched(kind.undo) }),
    };
  }

  async #run(kind: Kind, step: Step<never>, work: Parameters<Step<never>['run']>[0]): Promise<Outcome> {
    const place = this.#mishaps.findIndex(({ type, step: name }) => type === kind.type && name === step.name);
    if (place < 0) return step.run(work);
    const [mishap] = this.#mishaps.splice(place, 1);
    switch (mishap!.what) {
      case 'before the effect':
        return this.#die();
      case 'after the effect':
        await step.run(work);
        return this.#die();
      case 'within the commit':
        return this.#dyingInCommit(await step.run(work));
      case 'after the commit':
        this.#diesOnceCommitted = true;
        return step.run(work);
      case 'fails':
        return failure(step);
      case 'fails after the effect':
        await step.run(work);
        return failure(step);
      case 'is cancelled':
        await transact(this.#app.services.db, (tx) => requestCancel(tx, work.operationId));
        this.runner.heard(work.operationId);
        return step.run(work);
    }
  }

  #dyingInCommit(outcome: Outcome): Outcome {
    if (outcome.kind === 'failed') return this.#die();
    const commit: NonNullable<typeof outcome.commit> = async (tx) => {
      await outcome.commit?.(tx);
      return this.#die();
    };
    return { ...outcome, commit };
  }
}

const failure = ({ name }: Step<never>): Outcome => ({
  kind: 'failed',
  error: { code: 'engine_failed', detail: `${name} failed.`, retryable: false },
});

/**
 * Runs workers, one after the other, until all operations have ended. Returns how many workers crashed. Throws if the
 * inventory then shows another status than a resource has, the totals of the meter other costs than its spans, or the
 * counts of limits other numbers than the rows, so this is checked at every end that a law reaches.
 */
export async function work(app: TestApp, mishaps: readonly Mishap[] = []): Promise<number> {
  const left = [...mishaps];
  const accountIds = await findBusyAccounts(app);
  aheadMs = 0;
  for (let deaths = 0; ; deaths++) {
    const life = new Life(app, left);
    life.runner.start();
    const isDone = await untilDoneOrDead(app, life);
    await life.runner.close(0);
    // If a worker crashes after its last commit, its operations may end before `isOver` is set: check it again here.
    if (isDone && !life.isOver) {
      const differences = [
        ...(await inventoryDifferences(app, accountIds)),
        ...(await meterDifferences(app, accountIds)),
        ...(await countDifferences(app, accountIds)),
      ];
      if (differences.length > 0) throw new Error(differences.join('\n'));
      return deaths;
    }
    aheadMs += (LEASE_SECONDS + 1) * 1000;
  }
}

/** The accounts that operations are going to change. Those of earlier cases are left out: a law has hundreds. */
async function findBusyAccounts({ services: { db } }: TestApp): Promise<string[]> {
  const rows = await db
    .selectFrom('operations')
    .select('account_id')
    .distinct()
    .where('finished_at', 'is', null)
    .where('is_ready', '=', true)
    .execute();
  return rows.map(({ account_id }) => account_id);
}

/** If all operations sleep, moves the clock to the time when the next one is due. */
async function untilDoneOrDead(app: TestApp, life: Life): Promise<boolean> {
  for (;;) {
    await life.untilLooked();
    if (life.isOver) return false;
    const rows = await app.services.db
      .selectFrom('operations')
      .select(['status', 'lease_owner', 'run_at', 'awaits_children'])
      .where('finished_at', 'is', null)
      .where('is_ready', '=', true)
      .execute();
    if (rows.every(({ status }) => hasEnded(status))) return !life.isOver;
    const now = Date.now() + aheadMs;
    const times = rows.filter((row) => !row.awaits_children).map(({ run_at }) => run_at.getTime());
    if (rows.every((row) => row.lease_owner === null && row.run_at.getTime() > now) && times.length > 0) {
      aheadMs += Math.min(...times) - now + 1;
      life.runner.heard('');
    }
  }
}
