import { defineConfig } from 'vitest/config';
import { findSystemPostgres } from './src/testing/postgres.ts';

const shared = {
  globalSetup: 'src/testing/global-setup.ts',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

const main = { test: { ...shared, name: 'main', include: ['src/**/*.test.ts'] } };

/** Everything that speaks SQL once more, on the oldest PostgreSQL we support, where this machine has it. */
const system = findSystemPostgres();
const older = {
  test: {
    ...shared,
    name: `postgres-${system?.major}`,
    include: [
      'src/{store,families,portal-api,engines}/**/*.test.ts',
      'src/kernel/{pipeline,pages}/**/*.test.ts',
      'src/laws/{audit,idempotency,pagination,tenancy}.test.ts',
    ],
    exclude: ['src/store/embedded/**'],
  },
};

export default defineConfig({ test: { projects: system ? [main, older] : [main] } });
