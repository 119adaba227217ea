/**
 * Observes the operations of a simulated world and checks what must always be true: statuses only move forward, one
 * operation at a time works on a subject, operations run in queue order, and nothing that is due waits for long.
 */
import { hasEnded, type OperationStatus } from '../../kernel/operations/schema.ts';
import type { Wire } from './wire.ts';

export class Violation extends Error {}

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly type: string;
  readonly status: OperationStatus;
  readonly phase: 'forward' | 'undo';
  readonly step_index: number;
  readonly attempt: number;
  readonly parent_id: string | null;
  readonly resource_id: string;
  readonly is_ready: boolean;
  readonly is_begun: boolean;
  readonly lease_owner: string | null;
  readonly waiting_for: string | null;
  /** Seconds of the simulated clock, as the two columns below. */
  readonly run_at: number;
  readonly run_at_set: number;
  readonly lease_until: number | null;
}

export interface Known {
  readonly name: string;
  readonly subjects: readonly string[];
  row: Row;
  /** The state that has to change, and the time by which it has to. */
  awaited: string;
  dueBy: number;
  /** It finished a step after it was cancelled. */
  hasGoneOn: boolean;
}

const legal: Record<OperationStatus, readonly OperationStatus[]> = {
  queued: ['running', 'cancelled'],
  running: ['cancelling', 'succeeded', 'failed', 'cancelled'],
  cancelling: ['cancelled', 'failed', 'succeeded'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

/**
 * How late a due operation or an expired lease may be handled: one patrol, one lease, and the time of the calls
 * themselves.
 */
const PATIENCE_MS = 62_000;
const LEASE_MS = 30_000;

/** Times are selected as numbers, because this query runs after every event of every world. */
const OBSERVATION = `
  select id, account_id, type, status, phase, step_index, attempt, parent_id, resource_id, is_ready, waiting_for,
    started_at is not null as is_begun, lease_owner,
    extract(epoch from run_at)::float8 as run_at, extract(epoch from run_at_set)::float8 as run_at_set,
    extract(epoch from lease_until)::float8 as lease_until
  from operations where id >= $1 order by id`;

export class Ledger {
  readonly #wire: Wire;
  readonly #known = new Map<string, Known>();
  readonly #counts = new Map<string, number>();
  readonly #queues = new Map<string, Known[]>();
  /** In the order in which they were seen to end. */
  readonly ended: Known[] = [];
  /** The machines for which news has arrived. */
  readonly news = new Set<string>();
  readonly #introduced = new Map<string, readonly string[]>();
  #first = '';

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  get all(): readonly Known[] {
    return [...this.#known.values()];
  }

  get unfinished(): Known[] {
    return this.all.filter(({ row }) => !hasEnded(row.status));
  }

  get(id: string): Known | undefined {
    return this.#known.get(id);
  }

  nameOf(id: string): string {
    return this.#known.get(id)?.name ?? 'somebody';
  }

  /** The operation that has started on this subject and has not ended, if any. */
  holderOf(subject: string): Known | undefined {
    return this.#queues.get(subject)?.find(({ row }) => row.is_begun && !hasEnded(row.status));
  }

  /**
   * Registers the subjects of an operation before the operation is visible. Operations that are not registered are
   * children.
   */
  introduce(id: string, subjects: readonly string[]): void {
    this.#introduced.set(id, subjects);
    // Ids are assigned before the commit, so the operation with the lowest id may be committed last.
    if (this.#first === '' || id < this.#first) this.#first = id;
  }

  async observe(elapsed: number, now: Date): Promise<void> {
    if (this.#first === '') return;
    const { rows } = (await this.#wire.query(OBSERVATION, [this.#first])) as unknown as { rows: Row[] };
    if (rows.length < this.#known.size) throw new Violation('an operation is gone');
    const changed: Known[] = [];
    for (const row of rows) {
      const known = this.#known.get(row.id) ?? this.#meet(row);
      const before = known.row;
      checkMove(known.name, before, row);
      checkObedience(known, before, row);
      known.row = row;
      if (!before.is_begun && row.is_begun) changed.push(known);
      if (!hasEnded(before.status) && hasEnded(row.status)) this.ended.push(known);
      expectOf(known, elapsed, now);
      if (this.news.has(row.resource_id) && sleepsLong(row))
        throw new Violation(`${known.name} sleeps through news`);
    }
    for (const known of changed) this.#checkTurn(known);
    this.#checkReady();
  }

  #meet(row: Row): Known {
    const count = (this.#counts.get(row.type) ?? 0) + 1;
    this.#counts.set(row.type, count);
    const held = this.#introduced.get(row.id) ?? [row.resource_id];
    const unseen: Row = {
      ...row,
      status: 'queued',
      is_begun: false,
      phase: 'forward',
      step_index: 0,
      attempt: 0,
    };
    const known = {
      name: `${row.type}-${count}`,
      subjects: held,
      row: unseen,
      awaited: '',
      dueBy: 0,
      hasGoneOn: false,
    };
    this.#known.set(row.id, known);
    for (const subject of held) this.#queues.set(subject, [...(this.#queues.get(subject) ?? []), known]);
    return known;
  }

  /** All earlier operations on its subjects must have ended. */
  #checkTurn(known: Known): void {
    const ahead = this.#aheadOf(known);
    if (ahead !== undefined) throw new Violation(`${known.name} began before ${ahead.name} had ended`);
  }

  #checkReady(): void {
    for (const known of this.unfinished) {
      const isAlone = this.#aheadOf(known) === undefined;
      if (isAlone !== known.row.is_ready)
        throw new Violation(
          `${known.name} is ${isAlone ? 'not ready though nothing is' : 'ready though something is'} ahead of it`,
        );
    }
  }

  #aheadOf(known: Known): Known | undefined {
    for (const subject of known.subjects) {
      for (const other of this.#queues.get(subject) ?? []) {
        if (other === known) break;
        if (!hasEnded(other.row.status)) return other;
      }
    }
    return undefined;
  }

  /** Valid only without faults, and if the workers have enough slots. */
  checkPatience(elapsed: number, since: number): void {
    for (const { name, dueBy, awaited } of this.unfinished)
      if (elapsed > Math.max(dueBy, since) + PATIENCE_MS)
        throw new Violation(`nobody cared for ${name} (${awaited})`);
  }
}

function checkMove(name: string, before: Row, after: Row): void {
  if (before.status !== after.status && !canReach(before.status, after.status))
    throw new Violation(`${name} went from ${before.status} to ${after.status}`);
  if (after.attempt < before.attempt) throw new Violation(`${name} went back to attempt ${after.attempt}`);
  if (before.phase === 'undo' && after.phase === 'forward') throw new Violation(`${name} forgot its undo`);
  if (before.phase === 'undo' && after.status === 'succeeded')
    throw new Violation(`${name} was undone and succeeded`);
  if (before.phase === after.phase && after.step_index < before.step_index)
    throw new Violation(`${name} went back to step ${after.step_index}`);
}

/** After a cancellation, the running step may still be committed, but no other step starts. */
function checkObedience(known: Known, before: Row, after: Row): void {
  if (before.status !== 'cancelling' || before.phase === 'undo' || after.phase === 'undo') return;
  const goesOn = after.step_index > before.step_index || after.status === 'succeeded';
  if (goesOn && known.hasGoneOn) throw new Violation(`${known.name} goes on though it was cancelled`);
  known.hasGoneOn ||= goesOn;
}

/** Two transactions may commit between two observations, so two legal transitions in a row are allowed. */
function canReach(from: OperationStatus, to: OperationStatus): boolean {
  return legal[from].some((next) => next === to || legal[next].includes(to));
}

/** True if the operation has run at least once and now waits for a human without being due. */
const sleepsLong = ({ status, waiting_for, attempt, lease_owner, run_at, run_at_set }: Row): boolean =>
  !hasEnded(status) &&
  waiting_for === 'human' &&
  attempt > 0 &&
  lease_owner === null &&
  run_at > run_at_set + 1;

function expectOf(known: Known, elapsed: number, now: Date): void {
  const { row } = known;
  const isLeased = row.lease_owner !== null;
  const awaited = isLeased
    ? `held, attempt ${row.attempt}, until ${row.lease_until}`
    : `${row.is_ready ? 'due' : 'queued'}, attempt ${row.attempt}, ${row.run_at} set ${row.run_at_set}`;
  if (awaited === known.awaited) return;
  known.awaited = awaited;
  const wait = isLeased ? LEASE_MS : Math.max(0, row.run_at * 1000 - now.getTime());
  known.dueBy = row.is_ready ? elapsed + wait : Number.POSITIVE_INFINITY;
}
