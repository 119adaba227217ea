/**
 * Runs recurring work. Each process keeps a timer per schedule. The database decides which process runs a
 * turn, by moving the time at which the schedule is next due.
 */
import type { Logger } from 'pino';
import type { Schedule } from '../../kernel/schedule.ts';
import type { Services } from '../../kernel/services.ts';
import { msUntilDue, takeTurn } from './store.ts';

const AFTER_FAULT_MS = 30_000;
/** Slightly later than due: a timer that fires too early would have to be set again. */
const LATER_MS = 50;

export class Schedules {
  readonly #services: Services;
  readonly #log: Logger;
  readonly #schedules: readonly Schedule[];
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #isOpen = false;

  constructor(services: Services, schedules: readonly Schedule[]) {
    this.#services = services;
    this.#log = services.log;
    this.#schedules = schedules;
  }

  start(): void {
    this.#isOpen = true;
    for (const schedule of this.#schedules) this.#set(schedule, 0);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  #set(schedule: Schedule, milliseconds: number): void {
    if (!this.#isOpen) return;
    const timer = setTimeout(() => {
      const turn = this.#take(schedule).then((next) => {
        this.#running.delete(turn);
        this.#set(schedule, next);
      });
      this.#running.add(turn);
    }, milliseconds);
    timer.unref();
    this.#timers.set(schedule.name, timer);
  }

  /** Runs the schedule if it is due. Returns the milliseconds until the next check. */
  async #take(schedule: Schedule): Promise<number> {
    const { name, everySeconds } = schedule;
    try {
      const start = performance.now();
      if (!(await takeTurn(this.#services.db, name, everySeconds)))
        return LATER_MS + (await msUntilDue(this.#services.db, name));
      await schedule.run(this.#services);
      return LATER_MS + Math.max(0, start + everySeconds * 1000 - performance.now());
    } catch (error) {
      this.#log.warn({ err: error, schedule: name }, 'scheduled work failed');
      return Math.min(AFTER_FAULT_MS, everySeconds * 1000);
    }
  }
}
