/** What operators see of the runner in /metrics. */
import type { Metrics } from '../kernel/metrics.ts';
import { lanes } from '../kernel/operations/kind.ts';
import type { Db } from '../store/database.ts';
import { readOldestDue } from './claims/store.ts';
import type { Runner, RunnerOptions } from './runner.ts';

const DELAYS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 15, 60, 300, 1800];

export function watchDelays(metrics: Metrics): Pick<RunnerOptions, 'claimed'> {
  const observe = metrics.measure(
    'operation_start_delay_seconds',
    'Time from the moment an operation is due to the moment a worker runs it, by lane.',
    'lane',
    DELAYS,
  );
  return { claimed: ({ lane }, delaySeconds) => observe(lane, Math.max(0, delaySeconds)) };
}

export function watchSlots(metrics: Metrics, runner: Runner, db: Db): void {
  metrics.watch('operations_running', 'Operations that this process runs.', () => runner.running);
  metrics.watchEach('operation_slots_free', 'Free slots of this process, by lane.', 'lane', async () => {
    const { slots } = runner;
    return Object.fromEntries(lanes.map((lane) => [lane, slots.freeIn(lane)]));
  });
  metrics.watchEach('operation_slots_used', 'Slots in use in this process, by lane.', 'lane', async () => {
    const { slots } = runner;
    return Object.fromEntries(lanes.map((lane) => [lane, slots.usedIn(lane)]));
  });
  metrics.watchEach(
    'operations_oldest_due_seconds',
    'How long the oldest operation that is due has waited for a worker, by lane; the same in all processes.',
    'lane',
    () => readOldestDue(db),
  );
}
