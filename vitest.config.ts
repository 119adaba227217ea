import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { findSystemPostgres } from './src/testing/postgres.ts';

const shared = {
  globalSetup: 'src/testing/global-setup.ts',
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

const main = { test: { ...shared, name: 'main', include: ['src/**/*.test.ts'] } };

/** Tests that start engines take long, and what the driver asks of the database has tests of its own. */
const startsEngines = (file: string): boolean =>
  /from '.*\/testing\/incus\//.test(readFileSync(file, 'utf8'));
const withEngines = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => join('src', file))
  .filter((file) => file.endsWith('.test.ts') && startsEngines(file));

/** Everything that speaks SQL once more, on the oldest PostgreSQL we support, where this machine has it. */
const system = findSystemPostgres();
const older = {
  test: {
    ...shared,
    name: `postgres-${system?.major}`,
    include: [
      'src/{store,families,portal-api,engines,pipeline,resources}/**/*.test.ts',
      'src/kernel/pages/**/*.test.ts',
      'src/laws/{audit,idempotency,pagination,tenancy}.test.ts',
    ],
    exclude: ['src/store/embedded/**', ...withEngines],
  },
};

/** Much of what tests do is to wait for other processes, so two of them share two cores well. */
export default defineConfig({ test: { maxWorkers: 2, isolate: false, projects: system ? [main, older] : [main] } });
