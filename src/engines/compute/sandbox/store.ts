/** The sandbox's own memory, shared by all processes. Its transactions are its own: they hold none of ours. */
import { type Generated, type JSONColumnType, sql } from 'kysely';
import type { Db, Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import type { Size } from '../instance.ts';
import type { Host } from '../placement.ts';
import type { Effect, Fault, NewFault } from './faults.ts';
import type { Machine, Moment, States, ThingKind } from './state.ts';

declare module '../../../store/database.ts' {
  interface Tables {
    sandbox_hosts: {
      location: string;
      name: string;
      vcpus: number;
      memory_mb: number;
      disk_gb: number;
      used_vcpus: Generated<number>;
      used_memory_mb: Generated<number>;
      used_disk_gb: Generated<number>;
    };
    sandbox_things: {
      location: string;
      kind: ThingKind;
      project: string;
      id: string;
      state: JSONColumnType<States[ThingKind]>;
    };
    sandbox_faults: {
      id: Generated<number>;
      location: string | null;
      call: string | null;
      target: string | null;
      skip: Generated<number>;
      remaining: number | null;
      effect: JSONColumnType<Effect>;
      struck: Generated<number>;
      created_at: Generated<Date>;
    };
  }
}

export const SANDBOX_CHANNEL = 'hostplane_sandbox';

export interface Name {
  readonly project: string;
  readonly id: string;
}

export interface Found<K extends ThingKind> extends Name {
  readonly state: States[K];
}

export interface HostSpec extends Size {
  readonly name: string;
}

/** Guests may hold what the database cannot: a NUL, half a letter. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /[\0\ud800-\udfff]/.test(value)
    ? Buffer.from(value).toString().replaceAll('\0', '\ufffd')
    : value;

const written = (state: States[ThingKind]): string => JSON.stringify(state, storable);

const NONE: Size = { vcpus: 0, memoryMb: 0, diskGb: 0 };

/** One location within one transaction, or read as it stands. */
export class RoomStore {
  readonly #db: Db;
  readonly #location: string;

  constructor(db: Db, location: string) {
    this.#db = db;
    this.#location = location;
  }

  /** Two that make the same thing at once: the loser begins again and finds it. */
  async transact<T>(work: (store: RoomStore) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await transact(this.#db, (tx: Tx) => work(new RoomStore(tx, this.#location)));
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code !== '23505') throw error;
      }
    }
  }

  async now(): Promise<Moment> {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(this.#db);
    return rows[0]!.now.getTime();
  }

  async find<K extends ThingKind>(kind: K, { project, id }: Name): Promise<States[K] | null> {
    const row = await this.#named(kind, project, id).select('state').executeTakeFirst();
    return (row?.state ?? null) as States[K] | null;
  }

  /** Nobody else changes it until the end of the transaction. */
  async lock<K extends ThingKind>(kind: K, { project, id }: Name): Promise<States[K] | null> {
    const row = await this.#named(kind, project, id).select('state').forUpdate().executeTakeFirst();
    return (row?.state ?? null) as States[K] | null;
  }

  /** Nobody removes it until the end of the transaction. */
  async hold(kind: ThingKind, { project, id }: Name): Promise<boolean> {
    const row = await this.#named(kind, project, id).select('id').forShare().executeTakeFirst();
    return row !== undefined;
  }

  #named(kind: ThingKind, project: string, id: string) {
    return this.#db
      .selectFrom('sandbox_things')
      .where('location', '=', this.#location)
      .where('kind', '=', kind)
      .where('project', '=', project)
      .where('id', '=', id);
  }

  async insert<K extends ThingKind>(kind: K, { project, id }: Name, state: States[K]): Promise<void> {
    const row = { location: this.#location, kind, project, id, state: written(state) };
    await this.#db.insertInto('sandbox_things').values(row).execute();
  }

  async update<K extends ThingKind>(kind: K, { project, id }: Name, state: States[K]): Promise<void> {
    await this.#db
      .updateTable('sandbox_things')
      .set({ state: written(state) })
      .where('location', '=', this.#location)
      .where('kind', '=', kind)
      .where('project', '=', project)
      .where('id', '=', id)
      .execute();
  }

  async delete(kind: ThingKind, { project, id }: Name): Promise<void> {
    await this.#db
      .deleteFrom('sandbox_things')
      .where('location', '=', this.#location)
      .where('kind', '=', kind)
      .where('project', '=', project)
      .where('id', '=', id)
      .execute();
  }

  async machines(): Promise<Found<'machine'>[]> {
    const rows = await this.#db
      .selectFrom('sandbox_things')
      .select(['project', 'id', 'state'])
      .where('location', '=', this.#location)
      .where('kind', '=', 'machine')
      .orderBy('project')
      .orderBy('id')
      .execute();
    return rows as unknown as Found<'machine'>[];
  }

  async usersOf({ project, id }: Name): Promise<Found<'machine'>[]> {
    const { rows } = await sql<Found<'machine'>>`
      select project, id, state from sandbox_things
      where location = ${this.#location} and kind = 'machine' and project = ${project}
        and state @> ${JSON.stringify({ nics: [{ network: id }] })}::jsonb
      order by id`.execute(this.#db);
    return rows;
  }

  /** The hosts of those that exist, one entry for each. */
  async hostsOf(project: string, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const { rows } = await sql<{ host: string }>`
      select state->>'host' as host from sandbox_things
      where location = ${this.#location} and kind = 'machine' and project = ${project}
        and id = any(${[...ids]}::text[])`.execute(this.#db);
    return rows.map(({ host }) => host);
  }

  /** Members of one group find their places one after another. */
  async lockGroup(groupId: string): Promise<void> {
    const name = `${SANDBOX_CHANNEL} ${this.#location} ${groupId}`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(this.#db);
  }

  async furnish(hosts: readonly HostSpec[]): Promise<void> {
    const rows = hosts.map(({ name, vcpus, memoryMb, diskGb }) => ({
      location: this.#location,
      name,
      vcpus,
      memory_mb: memoryMb,
      disk_gb: diskGb,
    }));
    await this.#db
      .insertInto('sandbox_hosts')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['location', 'name']).doUpdateSet((row) => ({
          vcpus: row.ref('excluded.vcpus'),
          memory_mb: row.ref('excluded.memory_mb'),
          disk_gb: row.ref('excluded.disk_gb'),
        })),
      )
      .execute();
  }

  async hosts(): Promise<Host[]> {
    const rows = await this.#db
      .selectFrom('sandbox_hosts')
      .selectAll()
      .where('location', '=', this.#location)
      .orderBy('name')
      .execute();
    return rows.map((row) => ({
      name: row.name,
      total: { vcpus: row.vcpus, memoryMb: row.memory_mb, diskGb: row.disk_gb },
      used: { vcpus: row.used_vcpus, memoryMb: row.used_memory_mb, diskGb: row.used_disk_gb },
    }));
  }

  /** False: there is no room for the difference any more. What was taken before always has room. */
  async reserve(host: string, size: Size, instead: Size = NONE): Promise<boolean> {
    const vcpus = size.vcpus - instead.vcpus;
    const memory = size.memoryMb - instead.memoryMb;
    const disk = size.diskGb - instead.diskGb;
    const { numAffectedRows } = await sql`
      update sandbox_hosts set used_vcpus = used_vcpus + ${vcpus}, used_memory_mb = used_memory_mb + ${memory},
        used_disk_gb = used_disk_gb + ${disk}
      where location = ${this.#location} and name = ${host}
        and (${vcpus} <= 0 or used_vcpus + ${vcpus} <= vcpus)
        and (${memory} <= 0 or used_memory_mb + ${memory} <= memory_mb)
        and (${disk} <= 0 or used_disk_gb + ${disk} <= disk_gb)`.execute(this.#db);
    return numAffectedRows === 1n;
  }

  async release({ host, size }: Pick<Machine, 'host' | 'size'>): Promise<void> {
    await this.reserve(host, NONE, size);
  }

  async tell({ project, id }: Name): Promise<void> {
    const payload = JSON.stringify([this.#location, project, id]);
    await sql`select pg_notify(${SANDBOX_CHANNEL}, ${payload})`.execute(this.#db);
  }

  /** What strikes this call, and one strike less of it. */
  async strike(call: string, target: string | null, asksGuest: boolean): Promise<Effect | null> {
    const { rows } = await sql<{ effect: Effect; strikes: boolean }>`
      with hit as (
        select id, skip from sandbox_faults
        where (location is null or location = ${this.#location})
          and (call is null or call = ${call}) and (target is null or target = ${target})
          and (remaining is null or remaining > 0)
          and (${asksGuest} or effect->>'kind' <> 'ignore_shutdown')
        order by id limit 1 for update)
      update sandbox_faults f set skip = greatest(f.skip - 1, 0),
        remaining = case when hit.skip = 0 then f.remaining - 1 else f.remaining end,
        struck = f.struck + (hit.skip = 0)::int
      from hit where f.id = hit.id
      returning f.effect, hit.skip = 0 as strikes`.execute(this.#db);
    const [row] = rows;
    return row?.strikes ? row.effect : null;
  }
}

export async function listFaults(db: Db): Promise<Fault[]> {
  return db.selectFrom('sandbox_faults').selectAll().orderBy('id').execute() as Promise<Fault[]>;
}

export async function addFault(db: Db, fault: NewFault): Promise<Fault> {
  const { location = null, call = null, target = null, skip = 0, times = null, effect } = fault;
  return db
    .insertInto('sandbox_faults')
    .values({ location, call, target, skip, remaining: times, effect: JSON.stringify(effect) })
    .returningAll()
    .executeTakeFirstOrThrow() as Promise<Fault>;
}

/** How many went. */
export async function clearFaults(db: Db, id?: number): Promise<number> {
  const all = db.deleteFrom('sandbox_faults');
  const { numDeletedRows } = await (id === undefined
    ? all
    : all.where('id', '=', id)
  ).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export async function locationsInUse(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('sandbox_hosts')
    .select('location')
    .distinct()
    .orderBy('location')
    .execute();
  return rows.map(({ location }) => location);
}
