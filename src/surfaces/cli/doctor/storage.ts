/** Checks of the database, its migrations, clock and operations, and of Redis. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '../../../kernel/registry.ts';
import { type Backlog, readBacklog } from '../../../portal-api/operations/operations.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { MOST_SKEW_MS } from '../../../store/clock.ts';
import type { Db } from '../../../store/database.ts';
import { findNative } from '../../../store/embedded/binaries.ts';
import { foreignMigrations, pendingMigrations } from '../../../store/migrations/migrate.ts';
import { hasEmbeddedDatabase, withDatabase } from '../database.ts';
import { type Finding, failed, judged, ok, reasonOf, skipped } from './check.ts';
import { checkSchema } from './schema.ts';
import { type DatabaseFacts, readDatabaseFacts } from './store.ts';

const OLDEST_POSTGRES = 15;

function checkPrograms(): Finding {
  const name = 'PostgreSQL programs';
  try {
    const native = findNative();
    const missing = ['postgres', 'initdb'].filter((program) => !existsSync(join(native, 'bin', program)));
    if (missing.length === 0) return ok(name, native);
    return failed(
      name,
      `${missing.join(' and ')} missing in ${native}.`,
      'Install the packages again: npm install',
    );
  } catch (error) {
    return failed(
      name,
      reasonOf(error),
      'Run npm install, or name a PostgreSQL server in HOSTPLANE_DATABASE_URL.',
    );
  }
}

function judgeMigrations(pending: readonly string[], foreign: readonly string[]): Finding {
  const name = 'Migrations';
  if (foreign.length > 0)
    return failed(
      name,
      `A newer version of Hostplane has applied ${foreign.join(', ')}.`,
      'Start that version, or restore a backup from before.',
    );
  if (pending.length === 0) return ok(name, 'up to date');
  return failed(name, `${pending.join(', ')} not applied.`, 'Run: hostplane admin migrate');
}

function judge({ version, skewMs }: DatabaseFacts, migrations: Finding): Finding[] {
  const major = Math.floor(version / 10_000);
  const shown = `PostgreSQL ${major}.${version % 10_000}`;
  const skew = `${(Math.abs(skewMs) / 1000).toFixed(1)} s`;
  return [
    major >= OLDEST_POSTGRES
      ? ok('Database', shown)
      : failed('Database', `${shown} is too old.`, `Upgrade it to ${OLDEST_POSTGRES} or newer.`),
    migrations,
    Math.abs(skewMs) <= MOST_SKEW_MS
      ? ok('Clock', `${skew} from that of the database`)
      : failed(
          'Clock',
          `${skew} from that of the database.`,
          'Let both machines keep time with NTP (chrony, systemd-timesyncd).',
        ),
  ];
}

function judgeBacklog({ unfinished, overdue, unknown }: Backlog): Finding {
  const name = 'Operations';
  if (unknown > 0) {
    return failed(
      name,
      `${unknown} have types that this version does not know.`,
      'A newer version started them: run its workers, or upgrade this one.',
    );
  }
  if (overdue > 0) {
    return failed(
      name,
      `${overdue} of ${unfinished} have been due for more than a minute.`,
      'Check that a worker runs (hostplane admin serve, or hostplane admin worker), read its log, and run: hostplane admin operations list',
    );
  }
  return ok(name, `${unfinished} under way, none overdue`);
}

async function examine(db: Db, { families }: Pick<Registry, 'families'>): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const family of families) found.push(...((await family.examine?.(db)) ?? []).map(judged));
  return found;
}

export async function checkDatabase(
  config: Pick<ProviderConfig, 'database'>,
  registry: Pick<Registry, 'kinds' | 'families'>,
): Promise<Finding[]> {
  const { url, folder } = config.database;
  const programs =
    url === null ? checkPrograms() : skipped('PostgreSQL programs', 'the database is a separate server');
  const notYet = (detail: string) =>
    ['Database', 'Migrations', 'Clock', 'Rights', 'Schema', 'Writes', 'Notifications', 'Operations'].map(
      (name) => skipped(name, detail),
    );
  if (programs.status === 'failed') return [programs, ...notYet('needs the programs')];
  if (url === null && !(await hasEmbeddedDatabase(folder))) {
    return [programs, ...notYet('created at the first start')];
  }
  try {
    const look = async (db: Db) => {
      const pending = await pendingMigrations(db);
      const work =
        pending.length === 0
          ? [
              judgeBacklog(await readBacklog(db, [...registry.kinds.keys()])),
              ...(await examine(db, registry)),
            ]
          : [skipped('Operations', 'needs the migrations')];
      const migrations = judgeMigrations(pending, await foreignMigrations(db));
      const schema = await checkSchema(db, config, migrations.status === 'ok');
      return [...judge(await readDatabaseFacts(db), migrations), ...schema, ...work];
    };
    return [programs, ...(await withDatabase(config, look, 'present'))];
  } catch (error) {
    const fix =
      url === null
        ? `Read the log in ${folder}, and check that no other user owns the files there.`
        : 'Check that the server runs, that HOSTPLANE_DATABASE_URL is right, and that its pg_hba.conf lets this machine in.';
    const [, ...rest] = notYet('needs the database');
    return [programs, failed('Database', reasonOf(error), fix), ...rest];
  }
}

export async function checkRedis(url: string | null): Promise<Finding> {
  const name = 'Redis';
  if (url === null) return skipped(name, 'not configured; each process counts requests for itself');
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2000,
    commandTimeout: 2000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason = '';
  redis.on('error', (error) => {
    reason = reasonOf(error);
  });
  try {
    await redis.connect();
    await redis.ping();
    return ok(name, 'answers');
  } catch (error) {
    const fix =
      'Start it, or correct HOSTPLANE_REDIS_URL; until then each process applies a stricter limit of its own.';
    return failed(name, `No answer: ${reason || reasonOf(error)}`, fix);
  } finally {
    redis.disconnect();
  }
}
