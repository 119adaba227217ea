import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { findSystemPostgres } from './src/testing/postgres.ts';

const shared = {
  globalSetup: 'src/testing/global-setup.ts',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

const main = { test: { ...shared, name: 'main', include: ['src/**/*.test.ts'] } };

/**
 * Tests that start engines are slow, and the driver's queries have their own tests, so the second project
 * skips them.
 */
const startsEngines = (file: string): boolean =>
  /from '.*\/testing\/incus\//.test(readFileSync(file, 'utf8'));
const withEngines = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => join('src', file))
  .filter((file) => file.endsWith('.test.ts') && startsEngines(file));

/** Repeats all tests that use SQL on the oldest supported PostgreSQL, if this machine has it. */
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

/** Tests spend much time waiting for other processes, so two workers use two cores well. */
export default defineConfig({ test: { maxWorkers: 2, projects: system ? [main, older] : [main] } });
