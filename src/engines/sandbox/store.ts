/**
 * The stored state of sandboxes, shared by all processes. Its tables refer to no other tables of Hostplane, and its
 * transactions are separate: a sandbox represents an external system, which a rollback in Hostplane does not affect.
 */
import { type Generated, type JSONColumnType, sql } from 'kysely';
import type { Db, Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { commonEffects, type Effect, type Fault, type NewFault } from './faults.ts';

declare module '../../store/database.ts' {
  interface Tables {
    sandbox_things: {
      location: string;
      kind: string;
      project: string;
      id: string;
      state: JSONColumnType<object>;
    };
    sandbox_faults: {
      id: Generated<number>;
      location: string | null;
      call: string | null;
      target: string | null;
      skip: Generated<number>;
      remaining: number | null;
      effect: JSONColumnType<Effect<string>>;
      struck: Generated<number>;
      created_at: Generated<Date>;
    };
  }
}

/** Milliseconds since 1970, by the clock of the database. */
export type Moment = number;

export interface Name {
  readonly project: string;
  readonly id: string;
}

export interface Found<State> extends Name {
  readonly state: State;
}

/** Replaces the characters that PostgreSQL cannot store in text: NUL characters and unpaired surrogates. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /[\0\ud800-\udfff]/.test(value)
    ? Buffer.from(value).toString().replaceAll('\0', '\ufffd')
    : value;

const written = (state: unknown): string => JSON.stringify(state, storable);

/** The stored objects of one location, inside a transaction or outside of one. */
export class StateStore<States extends object> {
  readonly db: Db;
  readonly location: string;

  constructor(db: Db, location: string) {
    this.db = db;
    this.location = location;
  }

  /** If two calls insert the same object at once, the second transaction is retried and finds the object. */
  async transact<T>(work: (store: StateStore<States>) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await transact(this.db, (tx: Tx) => work(new StateStore(tx, this.location)));
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code !== '23505') throw error;
      }
    }
  }

  async now(): Promise<Moment> {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(this.db);
    return rows[0]!.now.getTime();
  }

  async find<K extends keyof States & string>(kind: K, name: Name): Promise<States[K] | null> {
    const row = await this.#named(kind, name).select('state').executeTakeFirst();
    return (row?.state ?? null) as States[K] | null;
  }

  /** Locks the object until the end of the transaction, so that no other transaction changes it. */
  async lock<K extends keyof States & string>(kind: K, name: Name): Promise<States[K] | null> {
    const row = await this.#named(kind, name).select('state').forUpdate().executeTakeFirst();
    return (row?.state ?? null) as States[K] | null;
  }

  /**
   * Takes a shared lock until the end of the transaction, so that no other transaction removes the object. Returns
   * false if the object does not exist.
   */
  async hold(kind: keyof States & string, name: Name): Promise<boolean> {
    const row = await this.#named(kind, name).select('id').forShare().executeTakeFirst();
    return row !== undefined;
  }

  #named(kind: string, { project, id }: Name) {
    return this.db
      .selectFrom('sandbox_things')
      .where('location', '=', this.location)
      .where('kind', '=', kind)
      .where('project', '=', project)
      .where('id', '=', id);
  }

  async list<K extends keyof States & string>(kind: K): Promise<Found<States[K]>[]> {
    const rows = await this.db
      .selectFrom('sandbox_things')
      .select(['project', 'id', 'state'])
      .where('location', '=', this.location)
      .where('kind', '=', kind)
      .orderBy('project')
      .orderBy('id')
      .execute();
    return rows as unknown as Found<States[K]>[];
  }

  /** Lists the objects of a project whose state contains this JSON. */
  async containing<K extends keyof States & string>(
    kind: K,
    project: string,
    part: object,
  ): Promise<Found<States[K]>[]> {
    const { rows } = await sql<Found<States[K]>>`
      select project, id, state from sandbox_things
      where location = ${this.location} and kind = ${kind} and project = ${project}
        and state @> ${JSON.stringify(part)}::jsonb
      order by id`.execute(this.db);
    return rows;
  }

  async insert<K extends keyof States & string>(
    kind: K,
    { project, id }: Name,
    state: States[K],
  ): Promise<void> {
    const row = { location: this.location, kind, project, id, state: written(state) };
    await this.db.insertInto('sandbox_things').values(row).execute();
  }

  async update<K extends keyof States & string>(
    kind: K,
    { project, id }: Name,
    state: States[K],
  ): Promise<void> {
    await this.db
      .updateTable('sandbox_things')
      .set({ state: written(state) })
      .where('location', '=', this.location)
      .where('kind', '=', kind)
      .where('project', '=', project)
      .where('id', '=', id)
      .execute();
  }

  async delete(kind: keyof States & string, { project, id }: Name): Promise<void> {
    await this.db
      .deleteFrom('sandbox_things')
      .where('location', '=', this.location)
      .where('kind', '=', kind)
      .where('project', '=', project)
      .where('id', '=', id)
      .execute();
  }

  async notify(channel: string, { project, id }: Name): Promise<void> {
    const payload = JSON.stringify([this.location, project, id]);
    await sql`select pg_notify(${channel}, ${payload})`.execute(this.db);
  }

  /**
   * Finds the first fault rule that matches this call, counts the call, and returns the effect unless the rule skips
   * the call. `target`: the object that the call names. `own`: the port's own effects that this call can have.
   */
  async strike<Own extends string>(
    call: string,
    target: Name | null,
    own: readonly Own[],
  ): Promise<Effect<Own> | null> {
    const kinds = [...Object.keys(commonEffects), ...own];
    const { rows } = await sql<{ effect: Effect<Own>; strikes: boolean }>`
      with hit as (
        select id, skip from sandbox_faults
        where (location is null or location = ${this.location})
          and (call is null or call = ${call}) and (target is null or target in (${target?.id ?? null}, ${target?.project ?? null}))
          and (remaining is null or remaining > 0)
          and effect->>'kind' = any(${kinds}::text[])
        order by id limit 1 for update)
      update sandbox_faults f set skip = greatest(f.skip - 1, 0),
        remaining = case when hit.skip = 0 then f.remaining - 1 else f.remaining end,
        struck = f.struck + (hit.skip = 0)::int
      from hit where f.id = hit.id
      returning f.effect, hit.skip = 0 as strikes`.execute(this.db);
    const [row] = rows;
    return row?.strikes ? row.effect : null;
  }
}

export async function listFaults(db: Db): Promise<Fault[]> {
  return db.selectFrom('sandbox_faults').selectAll().orderBy('id').execute();
}

export async function addFault<Call extends string, Own extends string>(
  db: Db,
  fault: NewFault<Call, Own>,
): Promise<Fault> {
  const { location = null, call = null, target = null, skip = 0, times = null, effect } = fault;
  return db
    .insertInto('sandbox_faults')
    .values({ location, call, target, skip, remaining: times, effect: JSON.stringify(effect) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns the number of removed rules. */
export async function clearFaults(db: Db, id?: number): Promise<number> {
  const all = db.deleteFrom('sandbox_faults');
  const { numDeletedRows } = await (id === undefined
    ? all
    : all.where('id', '=', id)
  ).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
