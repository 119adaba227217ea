import { readFile } from 'node:fs/promises';
import { defineConfig } from 'vitest/config';
import { findSystemPostgres } from './src/testing/postgres.ts';

const shared = {
  globalSetup: 'src/testing/global-setup.ts',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

/** As the bundle does it: a `.yaml` file is imported as its text. */
const yamlAsText = {
  name: 'yaml-as-text',
  async load(id: string) {
    if (!id.endsWith('.yaml')) return null;
    return `export default ${JSON.stringify(await readFile(id, 'utf8'))};`;
  },
};

const system = findSystemPostgres();
const main = { plugins: [yamlAsText], test: { ...shared, name: 'main', include: ['src/**/*.test.ts'] } };
const older = {
  plugins: [yamlAsText],
  test: {
    ...shared,
    name: `postgres-${system?.major}`,
    include: ['src/store/**/*.test.ts'],
    exclude: ['src/store/embedded/**'],
  },
};

export default defineConfig({ test: { projects: system ? [main, older] : [main] } });
