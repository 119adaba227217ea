/**
 * Simulates one world with a few workers, some requests and random faults. After a while the faults stop. Then every
 * operation has to end, and all checks have to hold.
 */
import { cancelOperation } from '../../kernel/operations/cancellation.ts';
import { startOperation } from '../../kernel/operations/operations.ts';
import { wakeOperations } from '../../kernel/operations/store.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Held } from '../../operations/runner-store.ts';
import type { Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { Agenda } from './agenda.ts';
import { Chance } from './chance.ts';
import { Faults } from './faults.ts';
import { checkEnd, type Heads, readHeads } from './final-state.ts';
import type { SimulationHome } from './home.ts';
import { TOLD } from './kinds.ts';
import { describeCall } from './labels.ts';
import { Ledger, Violation } from './ledger.ts';
import { drawScenario, type Scenario, type Wish } from './scenario.ts';
import { Traffic } from './traffic.ts';
import { type Surroundings, Worker } from './worker.ts';

export interface Report {
  readonly seed: number;
  /** The violated check; null if there was none. */
  readonly violation: string | null;
  readonly trace: readonly string[];
  readonly accepted: number;
  readonly refused: number;
}

const MOST_EVENTS = 20_000;
const HURRY_MS = 20;
/** How long a clock that was set back stays so: long enough to show that nothing waits for it. */
const CLOCK_STAYS_MS = 150_000;
/**
 * Deadlines are two minutes. A clock that is set back extends them by as much, and undo has a deadline of its own.
 */
const LONGEST_CALM_MS = 4 * 3_600_000;

export async function simulate(home: SimulationHome, seed: number): Promise<Report> {
  await home.clear();
  const world = new World(home, seed, await readHeads(home));
  const violation = await world.run().then(
    () => null,
    (error: unknown) => (error instanceof Violation ? error.message : String((error as Error).stack)),
  );
  // A simulation that ended early may have left an open transaction.
  await world.traffic.finish().catch(() => undefined);
  return { seed, violation, trace: world.trace, accepted: world.ledger.all.length, refused: world.refusals };
}

export class World implements Surroundings {
  readonly trace: string[] = [];
  readonly chance: Chance;
  readonly agenda: Agenda;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly home: SimulationHome;
  readonly registry;
  readonly traffic: Traffic;
  readonly #heads: Heads;
  readonly #scenario: Scenario;
  readonly #workers = new Set<Worker>();
  readonly #accepted: string[] = [];
  readonly #disturbed = new Set<string>();
  readonly #news = new Set<string>();
  #violation: Violation | null = null;
  #born = 0;
  refusals = 0;

  constructor(home: SimulationHome, seed: number, heads: Heads, scenario?: Scenario) {
    this.home = home;
    this.#heads = heads;
    this.registry = home.registry;
    this.chance = new Chance(seed);
    this.agenda = new Agenda(this.chance);
    this.#scenario = scenario ?? drawScenario(this.chance, seed);
    this.faults = new Faults(this.chance);
    this.traffic = new Traffic(home, this.agenda, this.faults, (line) => this.record(line));
    this.ledger = new Ledger(home.watch);
  }

  async run(): Promise<void> {
    await this.live();
    await this.#settle();
  }

  /** Lives until the time at which the faults stop. */
  async live(): Promise<void> {
    const { wishes, workers, lengthMs } = this.#scenario;
    for (let i = 0; i < workers; i++) this.#bear();
    for (const { atMs, wish } of wishes) this.agenda.add(null, atMs, () => this.#grant(wish));
    let isOver = false;
    this.agenda.add(null, lengthMs, () => {
      isOver = true;
    });
    for (let count = 0; !isOver; count++) await this.#step(count);
  }

  /** Lives on without faults, until every operation has ended. */
  async #settle(): Promise<void> {
    await this.#becomeCalm();
    const since = this.agenda.elapsed;
    for (let count = 0; this.ledger.unfinished.length > 0; count++) {
      await this.#step(count);
      if (this.#scenario.slots.own > this.ledger.all.length)
        this.ledger.checkPatience(this.agenda.elapsed, since);
      if (this.agenda.elapsed - since > LONGEST_CALM_MS)
        throw new Violation(`not ended: ${this.ledger.unfinished.map(({ name }) => name).join(', ')}`);
    }
    await checkEnd(this.home, this.ledger, this.#heads, this.#disturbed);
  }

  async #step(count: number): Promise<void> {
    if (count > MOST_EVENTS) throw new Violation('the world does not come to rest');
    if (!(await this.agenda.step())) throw new Violation('nobody will ever do anything again');
    if (this.#violation !== null) throw this.#violation;
    this.#misfortune();
  }

  #misfortune(): void {
    const { faults, chance } = this;
    if (faults.isCalm) return;
    const jump = faults.clockJump();
    if (jump !== 0) {
      this.agenda.moved += jump;
      this.record(`the clock is moved by ${jump} ms`);
    }
    if (this.#workers.size === 0) return;
    const worker = chance.pick([...this.#workers]);
    if (faults.hasLostHearing() && !worker.isDeaf) {
      worker.loseHearing();
      this.agenda.add(worker, chance.between(100, 40_000), () => worker.regainHearing(), true);
    }
    if (faults.closes()) worker.close(chance.between(0, 10_000));
  }

  async #becomeCalm(): Promise<void> {
    this.record('calm');
    this.faults.calm();
    for (const worker of this.#workers) worker.pausedUntil = 0;
    await this.traffic.finish();
    this.agenda.hurry(HURRY_MS);
    const machines = new Set(this.ledger.all.map(({ row }) => row.resource_id));
    for (const machine of [...machines].sort()) await this.#bring(machine);
    if (this.#workers.size === 0) this.#bear();
    // Otherwise a hanging step would hang for as long as the clock was set back.
    this.agenda.add(null, CLOCK_STAYS_MS, () => {
      this.agenda.moved = Math.max(0, this.agenda.moved);
    });
  }

  #bear(): void {
    const worker = new Worker(`worker-${++this.#born}`, this.#scenario.slots, this);
    this.#workers.add(worker);
    this.record(`${worker.name} starts`);
  }

  async #grant(wish: Wish): Promise<void> {
    switch (wish.does) {
      case 'start':
        return this.#start(wish);
      case 'cancel':
        return this.#cancel(wish.which);
      case 'news':
        return this.#bring(wish.machine);
    }
  }

  #start({ kind, machines, order, account, waits, server }: Extract<Wish, { does: 'start' }>): Promise<void> {
    const resource = { type: 'machine', id: machines[0] ?? null, name: null };
    const pause = waits ? { waits: { for: 'human', seconds: 60 } } : {};
    const from = server === undefined ? {} : { server };
    const start = { kind, input: order, resource, subjects: machines, ...pause, ...from };
    const origin = { accountId: this.home.accounts[account] ?? '', now: this.agenda.now() };
    const label = `somebody wants ${kind.type} of ${machines.join(', ')}`;
    return this.#ask(
      label,
      async (tx) => {
        const { id } = await startOperation(tx, this.registry, start, origin);
        if (this.ledger.get(id) === undefined)
          this.ledger.introduce(id, kind.queue === 'free' ? [] : machines);
        return id;
      },
      (id) => {
        if (this.ledger.get(id) === undefined) throw new Violation('what was accepted is not there');
        if (!this.#accepted.includes(id)) this.#accepted.push(id);
        return `as ${this.ledger.nameOf(id)}`;
      },
    );
  }

  async #cancel(which: number): Promise<void> {
    const id = this.#accepted[which % Math.max(1, this.#accepted.length)];
    if (id === undefined) return;
    const label = `somebody cancels ${this.ledger.nameOf(id)}`;
    await this.#ask(
      label,
      (tx) => cancelOperation(tx, this.registry, id),
      (answer) => answer,
    );
  }

  async #bring(machine: string): Promise<void> {
    if (this.#news.has(machine)) return;
    this.#news.add(machine);
    const about = this.ledger.all.filter(({ row }) => row.resource_id === machine);
    await this.#ask(
      `there is news of ${machine}`,
      async (tx) => {
        await tx.insertInto('machine_news').values({ machine_id: machine }).execute();
        for (const { row } of about) await wakeOperations(tx, row.id);
      },
      () => {
        this.ledger.news.add(machine);
        return 'told';
      },
    );
  }

  /** Simulates an API call in one transaction; a refusal is a valid answer. */
  #ask<T>(label: string, work: (tx: Tx) => Promise<T>, answer: (value: T) => string): Promise<void> {
    return this.traffic.carryOut(
      ({ db }) => transact(db, work),
      async (outcome) => {
        await this.happened();
        if (outcome.ok) this.record(`${label}: ${answer(outcome.value)}`);
        else if (outcome.error instanceof Problem) {
          this.refusals++;
          this.record(`${label}: ${outcome.error.code}`);
        } else this.refused(label, outcome.error);
      },
    );
  }

  /** Delivers committed notifications to the workers, or loses them. */
  #spread(): void {
    for (const payload of [...this.home.slow.takeWords(), ...this.home.wire.takeWords()]) {
      const label = payload === '' ? 'of work' : `that ${this.ledger.nameOf(payload)} is unwanted`;
      for (const worker of this.#workers)
        for (const delay of this.faults.hearings())
          this.agenda.add(worker, delay, () => worker.hear(payload, label), true);
    }
  }

  record(line: string): void {
    this.trace.push(`${(this.agenda.elapsed / 1000).toFixed(3)} ${line}`);
  }

  describe(call: string, args: readonly unknown[]): string {
    return describeCall(call, args, (id) => this.ledger.nameOf(id));
  }

  /** Checks the fence: only the newest attempt of an operation may advance it. */
  moved({ id, attempt }: Held, answer: unknown): void {
    const known = this.ledger.get(id);
    const isMoved = answer !== null && answer !== false;
    if (known !== undefined && isMoved && known.row.attempt !== attempt)
      this.#violation ??= new Violation(`${known.name} was moved by the attempt ${attempt}`);
  }

  async happened(): Promise<void> {
    try {
      const changes = [this.home.wire.takeChange(), this.home.slow.takeChange()];
      if (changes.includes(true)) await this.ledger.observe(this.agenda.elapsed, this.agenda.now());
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.#violation = error;
    }
    this.#spread();
  }

  refused(call: string, error: unknown): void {
    if (error instanceof Error && error.message === TOLD) return;
    this.#violation ??= new Violation(`${call}: ${String(error)}`);
  }

  crashed(worker: Worker): void {
    this.#workers.delete(worker);
    const delay = this.faults.isCalm ? 0 : this.chance.between(0, 40_000);
    this.agenda.add(null, delay, () => this.#bear(), true);
  }

  /**
   * No runner can stop a worker that has lost its lease and does not know it yet; only the engine could. A machine
   * that such a worker changes is recorded as disturbed.
   */
  touching(worker: Worker, machine: string): () => void {
    const known = this.ledger.holderOf(machine);
    const { attempt, lease_owner } = known?.row ?? {};
    return () => {
      if (lease_owner !== worker.name || known?.row.attempt !== attempt) this.#disturbed.add(machine);
    };
  }
}
