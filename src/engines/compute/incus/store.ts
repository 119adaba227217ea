/** The rows of the host ledger of one location. Its transactions are separate from those of the callers. */
import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import type { Ref, Size } from '../instance.ts';

declare module '../../../store/database.ts' {
  interface Tables {
    incus_machines: {
      location: string;
      account_id: string;
      machine_id: string;
      host: string;
      vcpus: number;
      memory_mb: number;
      disk_gb: number;
    };
  }
}

/** A machine, the host it is on and the size reserved for it there. */
export interface Entry extends Ref {
  readonly host: string;
  readonly size: Size;
}

export class LedgerStore {
  readonly #db: Db;
  readonly #location: string;

  constructor(db: Db, location: string) {
    this.#db = db;
    this.#location = location;
  }

  /** Takes an advisory lock, so that only one caller at a time, in any process, chooses a host in this location. */
  async exclusively<T>(work: (store: LedgerStore) => Promise<T>): Promise<T> {
    return transact(this.#db, async (tx) => {
      const name = `hostplane_incus ${this.#location}`;
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
      return work(new LedgerStore(tx, this.#location));
    });
  }

  async find({ account, id }: Ref): Promise<Entry | null> {
    const row = await this.#db
      .selectFrom('incus_machines')
      .select(['host', 'vcpus', 'memory_mb', 'disk_gb'])
      .where('location', '=', this.#location)
      .where('account_id', '=', account)
      .where('machine_id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const size = { vcpus: row.vcpus, memoryMb: row.memory_mb, diskGb: row.disk_gb };
    return { account, id, host: row.host, size };
  }

  async write({ account, id, host, size }: Entry): Promise<void> {
    const held = { host, vcpus: size.vcpus, memory_mb: size.memoryMb, disk_gb: size.diskGb };
    await this.#db
      .insertInto('incus_machines')
      .values({ location: this.#location, account_id: account, machine_id: id, ...held })
      .onConflict((conflict) => conflict.columns(['location', 'account_id', 'machine_id']).doUpdateSet(held))
      .execute();
  }

  async delete({ account, id }: Ref): Promise<void> {
    await this.#db
      .deleteFrom('incus_machines')
      .where('location', '=', this.#location)
      .where('account_id', '=', account)
      .where('machine_id', '=', id)
      .execute();
  }

  /** The used capacity of each host, without the entry of `except`. */
  async used(except: Ref | null): Promise<ReadonlyMap<string, Size>> {
    const all = this.#db
      .selectFrom('incus_machines')
      .select(({ fn }) => [
        'host',
        fn.sum<number>('vcpus').as('vcpus'),
        fn.sum<number>('memory_mb').as('memoryMb'),
        fn.sum<number>('disk_gb').as('diskGb'),
      ])
      .where('location', '=', this.#location)
      .groupBy('host');
    const others =
      except === null
        ? all
        : all.where((row) =>
            row.not(row.and([row('account_id', '=', except.account), row('machine_id', '=', except.id)])),
          );
    const rows = await others.execute();
    return new Map(rows.map(({ host, ...size }) => [host, size]));
  }

  /** The hosts of these machines: one element for each machine that has an entry. */
  async hostsOf(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .selectFrom('incus_machines')
      .select('host')
      .where('location', '=', this.#location)
      .where('machine_id', 'in', [...ids])
      .execute();
    return rows.map(({ host }) => host);
  }
}
