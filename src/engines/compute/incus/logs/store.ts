import { sql } from 'kysely';
import type { Db } from '../../../../store/database.ts';
import type { Ref } from '../../instance.ts';
import { type ConsoleLogs, KEPT_BYTES } from '../console-logs.ts';

declare module '../../../../store/database.ts' {
  interface Tables {
    incus_console_logs: { location: string; account_id: string; machine_id: string; printed: Buffer };
  }
}

/** Stored as bytes, because machines print characters that a text column cannot hold. */
export class PgConsoleLogs implements ConsoleLogs {
  readonly #db: Db;
  readonly #location: string;

  constructor(db: Db, location: string) {
    this.#db = db;
    this.#location = location;
  }

  async find({ account, id }: Ref): Promise<string> {
    const row = await this.#db
      .selectFrom('incus_console_logs')
      .select('printed')
      .where('location', '=', this.#location)
      .where('account_id', '=', account)
      .where('machine_id', '=', id)
      .executeTakeFirst();
    return row?.printed.toString() ?? '';
  }

  async keep({ account, id }: Ref, text: string): Promise<void> {
    const printed = Buffer.from(text);
    await this.#db
      .insertInto('incus_console_logs')
      .values({ location: this.#location, account_id: account, machine_id: id, printed })
      .onConflict((conflict) =>
        conflict.columns(['location', 'account_id', 'machine_id']).doUpdateSet({ printed }),
      )
      .execute();
  }

  async append({ account, id }: Ref, text: string): Promise<string> {
    const all = sql<Buffer>`incus_console_logs.printed || excluded.printed`;
    const end = sql<Buffer>`substring(${all} from greatest(1, octet_length(${all}) - ${KEPT_BYTES}::int + 1))`;
    const { printed } = await this.#db
      .insertInto('incus_console_logs')
      .values({ location: this.#location, account_id: account, machine_id: id, printed: Buffer.from(text) })
      .onConflict((conflict) =>
        conflict.columns(['location', 'account_id', 'machine_id']).doUpdateSet({ printed: end }),
      )
      .returning('printed')
      .executeTakeFirstOrThrow();
    return printed.toString();
  }

  async forget({ account, id }: Ref): Promise<void> {
    await this.#db
      .deleteFrom('incus_console_logs')
      .where('location', '=', this.#location)
      .where('account_id', '=', account)
      .where('machine_id', '=', id)
      .execute();
  }
}
