/** A view of the database whose every query and transaction waits for its turn before it takes a connection. */
import { Kysely, type KyselyProps, PostgresDialect, PostgresDriver } from 'kysely';
import type { Db, Tables } from './database.ts';

type Take = <T>(work: () => Promise<T>) => Promise<T>;

/** Never asked for a connection: the executor gets all connections from the database that the view belongs to. */
const pool = { connect: () => Promise.reject(new Error('A view has no pool.')), end: async () => undefined };
const dialect = new PostgresDialect({ pool });
const driver = new PostgresDriver({ pool });
const config = { dialect };

export function inTurns(db: Db, take: Take): Db {
  const executor = db.getExecutor();
  const view: KyselyProps = {
    config,
    dialect,
    driver,
    executor: executor.withConnectionProvider({
      provideConnection: (consumer) => take(() => executor.provideConnection(consumer)),
    }),
  };
  return new Kysely<Tables>(view);
}
