/** Compares the machines that each engine reports with the rows in the database, and reconciles the differences. */
import type { ComputeEngine, Instance, Ref } from '../../../engines/compute/port.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import { type Moment, readClock } from '../../../engines/reconciler/store.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { refOf } from '../vms/guest.ts';
import { isFailedCreate, isUpToEngine, judge } from '../vms/verdict.ts';
import { drive } from './drive.ts';
import { clearLeftover } from './failed-creates.ts';
import { observeMachine } from './observed-machine.ts';
import { alignPart, partsAmiss } from './parts.ts';
import { align, isStuck } from './reconcile.ts';
import { rescue } from './rescue.ts';
import { type Facts, newsOf } from './runtime-facts.ts';
import { size } from './size.ts';
import { snapshots } from './snapshots.ts';
import { machinesAt, type SeenRow, writeFacts } from './store.ts';
import { noteStrays, strayMachines } from './strays/strays.ts';

const parts = [size, rescue, drive, snapshots];

const keyOf = ({ account, id }: Ref): string => `${account} ${id}`;

/** One run of the reconciler for one location. */
class Look {
  readonly #services: Services;
  readonly #engine: ComputeEngine;
  readonly #at: Moment;
  readonly #now: Date;

  constructor(services: Services, engine: ComputeEngine, at: Moment) {
    this.#services = services;
    this.#engine = engine;
    this.#at = at;
    this.#now = new Date(at);
  }

  /** Returns the work that the machine needs, or undefined, as for nearly all machines. */
  consider(row: SeenRow, seen: Instance | null): (() => Promise<void>) | undefined {
    if (row.is_busy) return undefined;
    const services = this.#services;
    const ref = refOf(row);
    if (isFailedCreate(row))
      return seen === null ? undefined : () => clearLeftover(services, this.#engine, ref, this.#at);
    const isOdd = isUpToEngine(row) ? judge(row, seen) !== undefined : isStuck(row, this.#now);
    if (!isOdd) return undefined;
    return async () => {
      // The list may lack a machine that exists, so a machine that seems lost is observed individually.
      const observed =
        seen === null ? await observeMachine(services, this.#engine, ref) : { at: this.#at, seen };
      await align(services, ref, observed);
    };
  }

  newsOf(row: SeenRow, seen: Instance | null): Facts | undefined {
    const isSettled = row.status === 'running' || row.status === 'stopped';
    return seen === null || row.is_busy || !isSettled ? undefined : newsOf(row, seen, this.#now);
  }
}

async function lookThrough(services: Services, engine: ComputeEngine, at: Moment): Promise<void> {
  const { db } = services;
  const { location } = engine;
  const found = await engine.observeInstances(patience());
  const unclaimed = new Map(found.map((instance) => [keyOf(instance), instance]));
  const look = new Look(services, engine, at);
  const attempts = new Attempts(services);
  for await (const rows of machinesAt(db, location)) {
    const news: Facts[] = [];
    for (const row of rows) {
      const key = keyOf(refOf(row));
      const seen = unclaimed.get(key) ?? null;
      unclaimed.delete(key);
      const act = look.consider(row, seen);
      if (act !== undefined) await attempts.make(row.id, act);
      const facts = act === undefined ? look.newsOf(row, seen) : undefined;
      if (facts !== undefined) news.push(facts);
      for (const part of partsAmiss(parts, row, seen))
        await attempts.make(row.id, () => alignPart(services, engine, refOf(row), part));
    }
    if (news.length > 0) await transact(db, (tx) => writeFacts(tx, news, at));
  }
  await noteStrays(services, strayMachines, engine, [...unclaimed.values()]);
}

export const machineDrift: Schedule = {
  name: 'flexible-vps.machines',
  // Engines report changes at once with a nudge. This run finds the changes without a nudge.
  everySeconds: 60,
  async run(services) {
    const at = await readClock(services.db);
    await eachEngine(services, services.compute, (engine) => lookThrough(services, engine, at));
  },
};
