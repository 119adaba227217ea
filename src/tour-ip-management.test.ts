import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectInOrder, partsOf, paste, stepsOf } from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { atOnce } from './testing/provider-file.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/tour-ip-management.md');
const steps = stepsOf(page);
const TIMEOUT_MS = 300_000;

let temporary: string;
let server: ServerProcess;
const environment = (): { HOSTPLANE_CONFIG: string } => ({
  HOSTPLANE_CONFIG: join(temporary, 'provider.yaml'),
});

beforeAll(async () => {
  temporary = await makeTemporaryFolder();
  await writeFile(environment().HOSTPLANE_CONFIG, atOnce());
  server = await startServerOrFail(join(temporary, 'data'), environment());
}, TIMEOUT_MS);
afterAll(async () => {
  await server?.end('SIGTERM');
  await removeTemporaryFolder(temporary);
});

it('the tour of IP Management has no block that is not pasted or compared, and links to files that exist', () => {
  const fences = [...page.matchAll(/^```/gm)].length / 2;
  const shown = steps.filter((step) => step.shown !== '').length;
  expect([steps.length > 5, steps.length + shown]).toEqual([true, fences]);
  for (const [, link = ''] of page.matchAll(/\]\(([^)#]+)/g))
    expect(read(`docs/${link}`).length).toBeGreaterThan(0);
  expect(read('README.md')).toContain('](docs/tour-ip-management.md)');
});

it(
  'the tour of IP Management prints what the page shows',
  async () => {
    const folder = join(temporary, 'data');
    const printed = await paste({ server, folder, environment: environment(), timeoutMs: TIMEOUT_MS }, steps);
    steps.forEach((step, i) => {
      expectInOrder(printed[i] ?? '', partsOf(step));
    });
  },
  TIMEOUT_MS,
);
