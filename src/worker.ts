/** The role that does the work which outlives requests: operations, schedules. */

import { WORK_CHANNEL } from './kernel/operations/store.ts';
import { retention } from './kernel/retention/schedule.ts';
import type { Services } from './kernel/services.ts';
import { REAL } from './operations/environment.ts';
import { Runner } from './operations/runner.ts';
import { Schedules } from './operations/schedules/schedules.ts';
import { DatabaseRunnerStore } from './operations/store.ts';
import type { Listener } from './store/listener.ts';

export interface Worker {
  start(): void;
  close(): Promise<void>;
}

/** Before the listener starts: it hears of work through it. */
export function openWorker(services: Services, listener: Listener, leaseSeconds?: number): Worker {
  const { db, registry, log, metrics } = services;
  const runner = new Runner(
    {
      store: new DatabaseRunnerStore(db, registry, REAL, leaseSeconds),
      environment: REAL,
      db,
      log,
      kindOf: (type) => registry.kinds.get(type),
    },
    leaseSeconds === undefined ? {} : { leaseSeconds },
  );
  listener.subscribe(WORK_CHANNEL, runner);
  const schedules = new Schedules(services, [retention, ...registry.schedules]);
  metrics.watch('operations_running', 'Operations in the hands of this process.', () => runner.running);
  return {
    start() {
      runner.start();
      schedules.start();
    },
    async close() {
      await Promise.all([runner.close(), schedules.close()]);
    },
  };
}
