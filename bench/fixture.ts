/** One embedded PostgreSQL for all contenders, with an account to read and two audit logs to page through. */
import { join } from 'node:path';
import { issueKey } from '../src/kernel/access/key-format.ts';
import { CursorSeal } from '../src/kernel/pages/cursor.ts';
import { type Db, openDatabase, openPool } from '../src/store/database.ts';
import { openEmbedded } from '../src/store/embedded/embedded.ts';
import { readInstance } from '../src/store/instance.ts';
import { migrate } from '../src/store/migrations/migrate.ts';
import { createAccount, createKey, type TestKey } from '../src/testing/accounts.ts';
import {
  backupIdAt,
  captureKeyQuery,
  captureVmPageQuery,
  captureVmQuery,
  fillAuditLog,
  fillBackups,
  fillFast,
  fillMachines,
  fillVolumes,
  machineIdAt,
  type Statement,
  volumeIdAt,
} from './store.ts';

const KEYS = 1000;
const PAGE = 50;

export interface AuditLog {
  readonly entries: number;
  readonly key: TestKey;
  /** The cursor of the last page. */
  readonly deepest: string;
}

export interface Fleet {
  readonly accountId: string;
  readonly key: TestKey;
  readonly machines: number;
  readonly deepest: string;
  readonly deepestBackup: string;
  /** The cursor of the last page of its volumes; there are as many as machines. */
  readonly deepestVolumes: string;
  idAt(place: number): string;
}

export interface Fixture {
  readonly folder: string;
  readonly connection: { host: string; port: number; user: string; database: string };
  /** The log file of PostgreSQL. */
  readonly log: string;
  readonly accountId: string;
  readonly caller: TestKey;
  /** A key without the permission to read keys. */
  readonly powerless: TestKey;
  /** A well-formed key that does not exist. */
  readonly unknownKey: string;
  readonly keyIds: readonly string[];
  /** The product's statement that reads a key; its first parameter is the id, its second the account. */
  readonly keyQuery: string;
  readonly logs: readonly AuditLog[];
  /** The product's statement that reads a machine; its first parameter is the id, its second the account. */
  readonly vmQuery: string;
  /** The product's statement, with its values, for the first page of an account's machines. */
  captureVmPage(accountId: string, limit: number): Promise<Statement>;
  readonly fleets: readonly Fleet[];
  close(): Promise<void>;
}

export interface Sizes {
  readonly logs: readonly number[];
  readonly fleets: readonly number[];
}

export async function openFixture(folder: string, sizes: Sizes): Promise<Fixture> {
  const embedded = await openEmbedded({ folder });
  // Filling tables takes longer than any statement of the product.
  const pool = openPool({ ...embedded.connection, maxConnections: 2, answerMs: 3_600_000 });
  const db = openDatabase(pool);
  const close = async (): Promise<void> => {
    await db.destroy();
    await embedded.close();
  };
  try {
    await migrate(db);
    const account = await createAccount(db);
    const caller = await createKey(db, account);
    const powerless = await createKey(db, account, { permissions: ['monitoring:*:read'] });
    const keyIds = await db.transaction().execute(async (tx) => {
      const ids: string[] = [];
      for (let i = 0; i < KEYS; i++) ids.push((await createKey(tx, account)).id);
      return ids;
    });
    return {
      folder,
      connection: embedded.connection,
      log: join(embedded.home, 'postgres.log'),
      accountId: account.id,
      caller,
      powerless,
      unknownKey: issueKey().key,
      keyIds,
      keyQuery: await captureKeyQuery(pool, account.id, caller.id),
      logs: await fillLogs(db, sizes.logs),
      vmQuery: await captureVmQuery(pool),
      captureVmPage: (accountId, limit) => captureVmPageQuery(pool, accountId, limit),
      fleets: await fillFleets(db, sizes.fleets),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillLogs(db: Db, sizes: readonly number[]): Promise<AuditLog[]> {
  const seal = new CursorSeal((await readInstance(db)).cursor_secret);
  const logs: AuditLog[] = [];
  await fillFast(db, async (connection) => {
    for (const entries of sizes) {
      const owner = await createAccount(connection);
      const key = await createKey(connection, owner);
      await fillAuditLog(connection, owner.id, key.id, entries);
      const list = `${owner.id} listAuditEntries -occurred_at {}`;
      logs.push({ entries, key, deepest: seal.write(list, [String(PAGE + 1)]) });
    }
  });
  return logs;
}

async function fillFleets(db: Db, sizes: readonly number[]): Promise<Fleet[]> {
  const seal = new CursorSeal((await readInstance(db)).cursor_secret);
  const fleets: Fleet[] = [];
  let from = 0;
  await fillFast(db, async (connection) => {
    for (const machines of sizes) {
      const owner = await createAccount(connection);
      const key = await createKey(connection, owner);
      const first = from;
      await fillMachines(connection, owner.id, { machines, from });
      await fillBackups(connection, owner.id);
      await fillVolumes(connection, owner.id);
      const last = (list: string, id: string) => seal.write(`${owner.id} ${list} -created_at {}`, [id]);
      fleets.push({
        accountId: owner.id,
        key,
        machines,
        deepest: last('listVms', machineIdAt(first + PAGE)),
        deepestBackup: last('listVmBackups', backupIdAt(first + PAGE)),
        deepestVolumes: last('listVpsVolumes', volumeIdAt(first + PAGE)),
        idAt: (place) => machineIdAt(first + place),
      });
      from += machines;
    }
  });
  return fleets;
}
