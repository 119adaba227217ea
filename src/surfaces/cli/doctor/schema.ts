/** Checks of the rights of our role, of the tables, of writing, and of the way to the database. */

import type { ProviderConfig } from '../../../provider/schema.ts';
import { type Connection, type Db, namedDatabase } from '../../../store/database.ts';
import { Listener } from '../../../store/listener.ts';
import { keepsSettings, tryWriting } from '../../../store/readiness.ts';
import { findSchemaFaults, type Rights, readRights } from '../../../store/schema.ts';
import { type Finding, failed, ok, reasonOf, skipped } from './check.ts';

const SHOWN = 3;

const some = (parts: readonly string[]): string =>
  parts.length <= SHOWN
    ? parts.join(', ')
    : `${parts.slice(0, SHOWN).join(', ')} and ${parts.length - SHOWN} more`;

function judgeRights({ role, schema, mayCreate, missing, foreign }: Rights, isMigrated: boolean): Finding {
  const name = 'Rights';
  if (schema === null)
    return failed(
      name,
      `The role ${role} may use no schema of its search path.`,
      `As a superuser, run: grant all on schema public to "${role}"`,
    );
  if (missing.length > 0)
    return failed(
      name,
      `The role ${role} lacks: ${some(missing)}.`,
      `As a superuser, run in this database: grant all on all tables in schema ${schema} to "${role}"; grant all on all sequences in schema ${schema} to "${role}"`,
    );
  if (!isMigrated && (!mayCreate || foreign > 0))
    return failed(
      name,
      mayCreate
        ? `The role ${role} cannot migrate: ${foreign} tables belong to other roles.`
        : `The role ${role} cannot migrate: it may not create tables in the schema ${schema}.`,
      mayCreate
        ? 'Run hostplane admin migrate as the role that owns the tables.'
        : `As a superuser, run in this database: grant all on schema ${schema} to "${role}"`,
    );
  const note = foreign === 0 ? '' : `; ${foreign} tables belong to other roles, which have to migrate them`;
  return ok(name, `the role ${role} may read and write all tables${note}`);
}

async function checkTables(db: Db, schema: string): Promise<Finding> {
  const name = 'Schema';
  try {
    const faults = await findSchemaFaults(db, schema);
    if (faults.length === 0) return ok(name, `the tables in ${schema} are as the migrations make them`);
    return failed(
      name,
      `Missing or different in ${schema}: ${some(faults)}.`,
      'Restore them from a backup. Change tables only with migrations.',
    );
  } catch (error) {
    return skipped(name, `cannot be compared: ${reasonOf(error)}`);
  }
}

async function checkWrites(db: Db): Promise<Finding> {
  const name = 'Writes';
  try {
    await tryWriting(db);
    return ok(name, 'the database can be written to');
  } catch (error) {
    return failed(
      name,
      `Nothing can be written: ${reasonOf(error)}.`,
      'Free space on the disk of the database, or name the primary instead of a standby.',
    );
  }
}

async function checkWay(db: Db, connection: Connection | null): Promise<Finding> {
  const name = 'Notifications';
  if (connection === null) return skipped(name, 'the database is embedded');
  const fix =
    'Connect to PostgreSQL directly, or through a pooler in session mode (pool_mode = session in PgBouncer).';
  const listener = new Listener(connection);
  await listener.start();
  const { isUp } = listener;
  await listener.close();
  if (!isUp) return failed(name, 'LISTEN hears nothing, as behind a pooler in transaction mode.', fix);
  if (!(await keepsSettings(db)))
    return failed(name, 'A pooler ignores the time limits that Hostplane sets for its statements.', fix);
  return ok(name, 'arrive');
}

/** `isMigrated`: all migrations of this version are applied. */
export async function checkSchema(
  db: Db,
  { database }: Pick<ProviderConfig, 'database'>,
  isMigrated: boolean,
): Promise<Finding[]> {
  const rights = await readRights(db);
  const tables = (name: string, work: () => Promise<Finding>): Finding | Promise<Finding> =>
    isMigrated ? work() : skipped(name, 'needs the migrations');
  return [
    judgeRights(rights, isMigrated),
    await tables('Schema', () => checkTables(db, rights.schema ?? 'public')),
    await tables('Writes', () => checkWrites(db)),
    await checkWay(db, namedDatabase(database)),
  ];
}
