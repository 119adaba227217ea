import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './src/testing/longest-first.ts';
import { keepTemporaryFilesInMemory } from './src/testing/memory-folder.ts';
import { findSystemPostgres } from './src/testing/postgres.ts';

keepTemporaryFilesInMemory();

/** `npm test -- --all`: the long form, with everything that costs much and finds little. */
const isLong = process.env['HOSTPLANE_TEST_ALL'] === '1';

const shared = {
  globalSetup: 'src/testing/global-setup.ts',
  setupFiles: 'src/testing/record-statements.ts',
  // The files that one worker runs share their modules: loading them for each file would take as long as the tests.
  isolate: false,
  // Limits for tests that hang. On a busy machine a sound test may take ten times as long as on a quiet one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

const main = {
  test: {
    ...shared,
    name: 'main',
    include: ['src/**/*.test.ts', 'cli/src/**/*.test.ts'],
    exclude: isLong ? [] : ['src/**/*.long.test.ts'],
  },
};

/** Tests that start engines take long, and what the driver sends to the database has tests of its own. */
const startsEngines = (file: string): boolean =>
  /from '.*\/testing\/incus\//.test(readFileSync(file, 'utf8'));
const withEngines = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => join('src', file))
  .filter((file) => file.endsWith('.test.ts') && startsEngines(file));

/**
 * The oldest PostgreSQL that Hostplane supports, where this machine has it. Every statement is prepared on it after the
 * tests (`scripts/statements.ts`); the tests of the store, of the runner and one walk over all endpoints run on it. The
 * long form runs everything on it that sends SQL.
 */
const system = findSystemPostgres();
const older = {
  test: {
    ...shared,
    name: `postgres-${system?.major}`,
    include: isLong
      ? [
          'src/{store,families,portal-api,engines,pipeline,resources,operations}/**/*.test.ts',
          'src/kernel/pages/**/*.test.ts',
          'src/laws/{audit,idempotency,pagination,tenancy}.test.ts',
        ]
      : ['src/store/**/*.test.ts', 'src/operations/runner.test.ts', 'src/laws/{walk,list-filters}.test.ts'],
    exclude: ['src/store/embedded/**', 'src/operations/faults/**', ...withEngines],
  },
};

/** Tests spend half of their time waiting for other processes, so five workers share two cores well. */
export default defineConfig({
  test: {
    maxWorkers: 5,
    // Keeps the compiled modules in `node_modules`: to compile all of them takes longer than most files of tests.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: system ? [main, older] : [main],
  },
});
