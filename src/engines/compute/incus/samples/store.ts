import type { Selectable } from 'kysely';
import type { Db } from '../../../../store/database.ts';
import type { Ref } from '../../instance.ts';
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

  async removeBefore(at: Date): Promise<void> {
    await this.#db
      .deleteFrom('incus_samples')
      .where('location', '=', this.#location)
      .where('at', '<', at)
      .execute();
  }
}
