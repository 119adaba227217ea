/** The runner's queries on PostgreSQL: claim, renew, advance and end operations, fenced by lease and attempt. */
import { type RawBuilder, sql } from 'kysely';
import type { NewEvent } from '../kernel/events/event.ts';
import { writeEvents } from '../kernel/events/write-events.ts';
import { isCancellableAt, laneOf } from '../kernel/operations/at-step.ts';
import type { Commit, Lane } from '../kernel/operations/kind.ts';
import { dropOrStop, endOperation, startedEvent, startOperation } from '../kernel/operations/operations.ts';
import { type Ending, notifyWork, subjectsOf } from '../kernel/operations/store.ts';
import type { Registry } from '../kernel/registry.ts';
import type { Db, Tx } from '../store/database.ts';
import { transact } from '../store/transaction.ts';
import { choose } from './claims/choice.ts';
import type { Slots } from './claims/slots.ts';
import { findCells, lookAhead, markDue, takeDue } from './claims/store.ts';
import type { Environment } from './environment.ts';
import {
  type Advance,
  type ChildEnd,
  type Claimed,
  type Held,
  LEASE_SECONDS,
  type Outlook,
  type Renewed,
  type RunnerStore,
} from './runner-store.ts';

/** Rolls the transaction back, because the worker no longer holds the lease of the operation. */
class LeaseLost extends Error {}

const keptIn = ({ kept }: Extract<Advance, { to: 'sleep' }>): Record<string, unknown> =>
  kept === undefined ? {} : { [kept.step]: kept.values };

export class DatabaseRunnerStore implements RunnerStore {
  readonly #db: Db;
  readonly #registry: Registry;
  readonly #environment: Environment;
  readonly #types: readonly string[];
  readonly #leaseSeconds: number;
  /** The account that the last claim served last. */
  #cursor = '';

  constructor(db: Db, registry: Registry, environment: Environment, leaseSeconds = LEASE_SECONDS) {
    this.#types = [...registry.kinds.keys()];
    this.#db = db;
    this.#registry = registry;
    this.#environment = environment;
    this.#leaseSeconds = leaseSeconds;
  }

  /** Undefined uses the database's clock. */
  get #now(): Date | undefined {
    return this.#environment.now() ?? undefined;
  }

  get #at(): RawBuilder<Date> {
    const now = this.#environment.now();
    return now === null ? sql<Date>`now()` : sql<Date>`${now}::timestamptz`;
  }

  claim(owner: string, slots: Slots): Promise<Claimed[]> {
    const times = { at: this.#at, lease: sql`${this.#leaseSeconds} * interval '1 second'` };
    return transact(this.#db, async (tx) => {
      await markDue(tx, times);
      const { openLanes: lanes, full } = slots;
      const cells = await findCells(tx, { lanes, full, types: this.#types, cursor: this.#cursor });
      const { wanted, cursor } = choose(cells, slots, this.#cursor);
      if (wanted.length === 0) return [];
      const rows = await takeDue(tx, owner, wanted, times);
      await this.#tellStarted(
        tx,
        rows.filter((row) => row.was_queued),
      );
      this.#cursor = cursor;
      return rows;
    });
  }

  async #tellStarted(tx: Tx, started: readonly Claimed[]): Promise<void> {
    const groups = new Map<string, Claimed[]>();
    for (const operation of started) {
      const key = `${operation.account_id} ${JSON.stringify(operation.actor)}`;
      groups.set(key, [...(groups.get(key) ?? []), operation]);
    }
    // Accounts are locked in a fixed order, so that two workers that claim at once cannot deadlock.
    for (const [, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [{ account_id: accountId, actor }] = group as [Claimed, ...Claimed[]];
      await writeEvents(tx, this.#registry, { accountId, actor }, group.map(startedEvent));
    }
  }

  async renew(owner: string, held: readonly Held[]): Promise<ReadonlyMap<string, Renewed>> {
    const at = this.#at;
    const { rows } = await sql<{ id: string; isUnwanted: boolean }>`
      update operations o set lease_until = ${at} + ${this.#leaseSeconds} * interval '1 second'
      from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ attempt }) => attempt)}::int[]) as mine(id, attempt)
      where o.id = mine.id and o.attempt = mine.attempt and o.lease_owner = ${owner}
      returning o.id, o.cancel_requested and o.cancellable and o.phase = 'forward' as "isUnwanted"`.execute(
      this.#db,
    );
    return new Map(rows.map(({ id, isUnwanted }) => [id, { isUnwanted }]));
  }

  async giveBack(owner: string, held: readonly Held[], afterSeconds: number): Promise<void> {
    const at = this.#at;
    const { rows } = await sql`
      update operations o set lease_owner = null, lease_until = null, is_due = false, run_at_set = ${at},
        run_at = ${at} + ${afterSeconds} * interval '1 second'
      from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ attempt }) => attempt)}::int[]) as mine(id, attempt)
      where o.id = mine.id and o.attempt = mine.attempt and o.lease_owner = ${owner}
      returning o.id`.execute(this.#db);
    if (rows.length > 0) await notifyWork(this.#db);
  }

  async advance(operation: Claimed, advance: Advance): Promise<Claimed | null> {
    const isAlone = advance.to !== 'children' && !('commit' in advance && advance.commit !== undefined);
    // A single statement needs no explicit transaction.
    const moved = isAlone
      ? ((await this.#move(this.#db, operation, advance)) ?? null)
      : await this.#moveWith(operation, advance);
    // Another worker may have a free slot in the lane of the next step.
    if (moved !== null && moved.lane !== operation.lane && moved.lease_owner === null)
      await notifyWork(this.#db);
    return moved;
  }

  /** Moves the operation in the transaction that commits the step. */
  #moveWith(operation: Claimed, advance: Advance): Promise<Claimed | null> {
    return this.#fenced(async (tx) => {
      const commit = 'commit' in advance ? advance.commit : undefined;
      const events = (await commit?.(tx)) ?? [];
      const moved = await this.#move(tx, operation, advance);
      if (moved === undefined) throw new LeaseLost();
      if (advance.to === 'children') await this.#startChildren(tx, operation, advance);
      await this.#tell(tx, operation, events);
      return moved;
    }, null);
  }

  async #move(db: Db, operation: Claimed, advance: Advance): Promise<Claimed | undefined> {
    const at = this.#at;
    const { rows } = await sql<Claimed>`
      update operations set ${this.#changes(operation, advance, at)}, updated_at = ${at}
      where id = ${operation.id} and attempt = ${operation.attempt} and lease_owner = ${operation.lease_owner}
        and finished_at is null
      returning *, ${at} as read_at`.execute(db);
    return rows[0];
  }

  #changes(operation: Claimed, advance: Advance, at: RawBuilder<Date>): RawBuilder<unknown> {
    // A wake that arrived after the step started makes the operation due at once. No operation sleeps past
    // its deadline.
    const until = (seconds: number, seenWakes: number) => sql`
      lease_owner = null, lease_until = null, is_due = false, run_at_set = ${at},
      run_at = case when wakes <> ${seenWakes} then ${at}
                    else least(deadline_at, ${at} + ${seconds} * interval '1 second') end`;
    const kind = this.#registry.kinds.get(operation.type);
    // A step of another lane needs a slot there, so the operation is given back and claimed again.
    const inLane = (lane: Lane) =>
      lane === operation.lane
        ? sql`lane = ${lane}`
        : sql`lane = ${lane}, lease_owner = null, lease_until = null, is_due = true, run_at = ${at}, run_at_set = ${at}`;
    switch (advance.to) {
      case 'step': {
        const list = (operation.phase === 'undo' ? kind?.undo : kind?.steps) ?? [];
        const next = list[advance.index];
        const isCancellable =
          kind !== undefined && operation.phase === 'forward' && isCancellableAt(kind, advance.index);
        const results = { ...operation.results, [advance.finished]: advance.result ?? {} };
        const lane = laneOf(kind, { ...operation, results }, advance.index);
        // A cancel request that arrived in time still applies although the next step cannot be cancelled:
        // that step has not begun.
        return sql`step_index = ${advance.index}, step = ${next?.name ?? ''}, tries = 0, last_error = null,
          awaits_children = false, waiting_for = null, ${inLane(lane)},
          cancellable = ${isCancellable} or (cancellable and cancel_requested),
          progress_percent = ${operation.phase === 'undo' ? operation.progress_percent : Math.floor((100 * advance.index) / Math.max(1, list.length))},
          results = results || ${JSON.stringify({ [advance.finished]: advance.result ?? {} })}::jsonb`;
      }
      case 'undo':
        return sql`phase = 'undo', step_index = 0, tries = 0, last_error = null, awaits_children = false,
          waiting_for = null, cancellable = false, ${inLane('undo')}, step = ${kind?.undo?.[0]?.name ?? ''},
          failure = ${advance.failure === null ? null : JSON.stringify(advance.failure)}::jsonb,
          deadline_at = greatest(deadline_at, ${at} + ${advance.deadlineSeconds} * interval '1 second')`;
      case 'sleep':
        return sql`${until(advance.seconds, advance.seenWakes)}, waiting_for = ${advance.waitingFor},
          results = results || ${JSON.stringify(keptIn(advance))}::jsonb`;
      case 'retry':
        return sql`${until(advance.seconds, operation.wakes)}, waiting_for = 'retry', tries = tries + 1,
          last_error = ${JSON.stringify(advance.error)}::jsonb`;
      case 'children':
        return sql`${until(100 * 365 * 86_400, advance.seenWakes)}, awaits_children = true,
          tolerates_failure = ${advance.tolerant}, waiting_for = 'children'`;
    }
  }

  async #startChildren(
    tx: Tx,
    operation: Claimed,
    { start, step }: Extract<Advance, { to: 'children' }>,
  ): Promise<void> {
    const subjects = await subjectsOf(tx, operation.id);
    for (const child of start) {
      await startOperation(tx, this.#registry, child, {
        accountId: operation.account_id,
        actor: operation.actor,
        ...(operation.permission === null ? {} : { permission: operation.permission }),
        ...(operation.request_id === null ? {} : { requestId: operation.request_id }),
        parent: { id: operation.id, step, subjects },
        ...(this.#now === undefined ? {} : { now: this.#now }),
      });
    }
  }

  async end(operation: Claimed, ending: Ending, commit: Commit | undefined): Promise<boolean> {
    return this.#fenced(async (tx) => {
      const events = (await commit?.(tx)) ?? [];
      const { id, attempt } = operation;
      const options = { operation, attempt, events, now: this.#now };
      if (!(await endOperation(tx, this.#registry, id, ending, options))) throw new LeaseLost();
      return true;
    }, false);
  }

  async #fenced<T>(work: (tx: Tx) => Promise<T>, lost: T): Promise<T> {
    try {
      return await transact(this.#db, work);
    } catch (error) {
      if (error instanceof LeaseLost) return lost;
      throw error;
    }
  }

  async #tell(
    tx: Tx,
    { account_id: accountId, actor, id }: Claimed,
    events: readonly NewEvent[],
  ): Promise<void> {
    if (events.length === 0) return;
    const own = events.map((event) => ({ operationId: id, ...event }));
    await writeEvents(tx, this.#registry, { accountId, actor }, own);
  }

  async children(operationId: string, step: string): Promise<readonly ChildEnd[]> {
    return this.#db
      .selectFrom('operations')
      .select(['id', 'type', 'status', 'error', 'result'])
      .where('parent_id', '=', operationId)
      .where('parent_step', '=', step)
      .orderBy('id')
      .execute();
  }

  async cancelChildren(operationId: string): Promise<number> {
    return transact(this.#db, async (tx) => {
      const children = await tx
        .selectFrom('operations')
        .select(['id', 'started_at'])
        .where('parent_id', '=', operationId)
        .where('finished_at', 'is', null)
        .orderBy('id')
        .execute();
      let left = 0;
      for (const child of children) {
        if (!(await dropOrStop(tx, this.#registry, child, this.#now))) left++;
      }
      return left;
    });
  }

  lookAhead(): Promise<Outlook> {
    return lookAhead(this.#db, this.#types, this.#at);
  }
}
