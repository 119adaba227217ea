// Has the oldest PostgreSQL that Hostplane supports prepare every statement that the tests sent to a newer one. A statement
// that the newer one cannot prepare on a migrated database belongs to a test's own table and is left out.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { openDatabase, openPool } from '../src/store/database.ts';
import { migrate } from '../src/store/migrations/migrate.ts';
import { administer, findSystemPostgres, startPostgres, type TestPostgres } from '../src/testing/postgres.ts';
import { createWidgetsTable } from '../src/testing/widgets.ts';

const DATABASE = 'statements';

/** The statements that a server refuses to prepare, with its reason. */
async function refusals(server: TestPostgres, texts: readonly string[]): Promise<Map<string, string>> {
  const { host, port, user } = server;
  await administer(server, `create database ${DATABASE}`);
  const db = openDatabase(openPool({ host, port, user, database: DATABASE }));
  await migrate(db);
  await createWidgetsTable(db);
  await db.destroy();
  const client = new pg.Client({ host, port, user, database: DATABASE });
  await client.connect();
  const refused = new Map<string, string>();
  for (const [i, text] of texts.entries()) {
    const reason = await client.query(`prepare s${i} as ${text}`).then(
      () => client.query(`deallocate s${i}`).then(() => null),
      (error: Error) => error.message,
    );
    if (reason !== null) refused.set(text, reason);
  }
  await client.end();
  return refused;
}

async function refusalsOf(programs: string | undefined, texts: readonly string[]) {
  const server = await startPostgres(programs === undefined ? {} : { programs });
  try {
    return await refusals(server, texts);
  } finally {
    await server.stop();
  }
}

const [file = ''] = process.argv.slice(2);
const system = findSystemPostgres();
const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
const texts = [...new Set(lines.map((line) => JSON.parse(line) as string))];
if (system === undefined) {
  console.log('There is no other PostgreSQL on this machine to prepare the statements on.');
} else {
  const unknown = await refusalsOf(undefined, texts);
  const known = texts.filter((text) => !unknown.has(text));
  const refused = await refusalsOf(system.bin, known);
  for (const [text, reason] of refused) console.error(`${reason}\n  ${text}\n`);
  console.log(
    `PostgreSQL ${system.major} prepared ${known.length - refused.size} of ${known.length} statements.`,
  );
  if (refused.size > 0) process.exitCode = 1;
}
