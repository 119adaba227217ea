import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../../store/database.ts';
import type { Ref } from '../../instance.ts';
import type { Traffic } from '../../series.ts';
import type { Sample } from '../metrics-text.ts';
import type { Samples } from '../series.ts';

interface SampleRow {
  location: string;
  account_id: string;
  machine_id: string;
  at: Date;
  cpu_seconds: number | null;
  vcpus: number | null;
  memory_used: number | null;
  memory_total: number | null;
  disk_read_bytes: number | null;
  disk_written_bytes: number | null;
  disk_reads: number | null;
  disk_writes: number | null;
  disk_used: number | null;
  disk_total: number | null;
  network_in_bytes: number | null;
  network_out_bytes: number | null;
}

declare module '../../../../store/database.ts' {
  interface Tables {
    incus_samples: SampleRow;
  }
}

/** Rows for each statement: PostgreSQL allows at most 65535 parameters in one statement. */
const AT_ONCE = 1000;

const rowOf = (location: string, sample: Sample): SampleRow => ({
  location,
  account_id: sample.account,
  machine_id: sample.id,
  at: sample.at,
  cpu_seconds: sample.cpuSeconds,
  vcpus: sample.vcpus,
  memory_used: sample.memoryUsed,
  memory_total: sample.memoryTotal,
  disk_read_bytes: sample.diskReadBytes,
  disk_written_bytes: sample.diskWrittenBytes,
  disk_reads: sample.diskReads,
  disk_writes: sample.diskWrites,
  disk_used: sample.diskUsed,
  disk_total: sample.diskTotal,
  network_in_bytes: sample.networkInBytes,
  network_out_bytes: sample.networkOutBytes,
});

const sampleOf = (row: Selectable<SampleRow>): Sample => ({
  account: row.account_id,
  id: row.machine_id,
  at: row.at,
  cpuSeconds: row.cpu_seconds,
  vcpus: row.vcpus,
  memoryUsed: row.memory_used,
  memoryTotal: row.memory_total,
  diskReadBytes: row.disk_read_bytes,
  diskWrittenBytes: row.disk_written_bytes,
  diskReads: row.disk_reads,
  diskWrites: row.disk_writes,
  diskUsed: row.disk_used,
  diskTotal: row.disk_total,
  networkInBytes: row.network_in_bytes,
  networkOutBytes: row.network_out_bytes,
});

export class PgSamples implements Samples {
  readonly #db: Db;
  readonly #location: string;

  constructor(db: Db, location: string) {
    this.#db = db;
    this.#location = location;
  }

  async add(samples: readonly Sample[]): Promise<void> {
    for (let i = 0; i < samples.length; i += AT_ONCE) {
      const rows = samples.slice(i, i + AT_ONCE).map((sample) => rowOf(this.#location, sample));
      await this.#db
        .insertInto('incus_samples')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  async read({ account, id }: Ref, from: Date, to: Date): Promise<readonly Sample[]> {
    const rows = await this.#db
      .selectFrom('incus_samples')
      .selectAll()
      .where('location', '=', this.#location)
      .where('account_id', '=', account)
      .where('machine_id', '=', id)
      .where('at', '>=', from)
      .where('at', '<', to)
      .orderBy('at')
      .execute();
    return rows.map(sampleOf);
  }

  /**
   * A counter that is lower than before was reset when the machine started, so all of it is new; so is that of a
   * machine without an earlier sample.
   */
  async sumTraffic(from: Date, to: Date): Promise<readonly Traffic[]> {
    const { rows } = await sql<Traffic>`
      select account_id as account, machine_id as id,
        sum(in_bytes - case when in_bytes >= before_in then before_in else 0 end)::bigint as "inBytes",
        sum(out_bytes - case when out_bytes >= before_out then before_out else 0 end)::bigint as "outBytes"
      from (
        select s.account_id, s.machine_id, s.network_in_bytes as in_bytes, s.network_out_bytes as out_bytes,
          coalesce(before.network_in_bytes, 0) as before_in, coalesce(before.network_out_bytes, 0) as before_out
        from incus_samples s left join lateral (
          select network_in_bytes, network_out_bytes from incus_samples b
          where b.location = s.location and b.machine_id = s.machine_id and b.at < s.at
            and b.network_in_bytes is not null and b.network_out_bytes is not null
          order by b.at desc limit 1) before on true
        where s.location = ${this.#location} and s.at >= ${from}::timestamptz and s.at < ${to}::timestamptz
          and s.network_in_bytes is not null and s.network_out_bytes is not null) as growth
      group by account_id, machine_id order by machine_id`.execute(this.#db);
    return rows;
  }

  async removeBefore(at: Date): Promise<void> {
    await this.#db
      .deleteFrom('incus_samples')
      .where('location', '=', this.#location)
      .where('at', '<', at)
      .execute();
  }
}
