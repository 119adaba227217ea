/** docs/cli.md can be pasted as it stands. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectInOrder, partsOf, paste, stepsOf } from '../../src/testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../src/testing/folder.ts';
import { atOnce } from '../../src/testing/provider-file.ts';
import { type ServerProcess, startServerOrFail } from '../../src/testing/server-process.ts';
import { exitCodes } from './exit-codes.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/cli.md');
const TIMEOUT_MS = 300_000;

let temporary: string;
let server: ServerProcess | undefined;
beforeAll(async () => {
  temporary = await makeTemporaryFolder();
});
afterAll(async () => {
  await server?.end('SIGTERM');
  await removeTemporaryFolder(temporary);
});

it(
  'prints what the page shows',
  async () => {
    const environment = {
      HOSTPLANE_CONFIG: join(temporary, 'provider.yaml'),
      XDG_CACHE_HOME: join(temporary, 'cache'),
      TMPDIR: temporary,
    };
    await writeFile(environment.HOSTPLANE_CONFIG, atOnce());
    const folder = join(temporary, 'data');
    server = await startServerOrFail(folder, environment);
    const steps = stepsOf(page);
    expect(steps.length).toBeGreaterThan(5);
    const printed = await paste({ server, folder, environment, timeoutMs: TIMEOUT_MS }, steps);
    const address = /:\d+/.exec(server.url)?.[0] ?? '';
    steps.forEach((step, i) => {
      expectInOrder((printed[i] ?? '').replaceAll(address, ':8080'), partsOf(step));
    });
  },
  2 * TIMEOUT_MS,
);

it('has every exit code', () => {
  const listed = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(exitCodes));
});
