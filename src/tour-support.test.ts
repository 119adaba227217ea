/** The tour of Support: all its commands run, and their output is compared. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInOrder, partsOf, paste, stepsOf } from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { atOnce } from './testing/provider-file.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const page = read('docs/tour-support.md');
const steps = stepsOf(page);
const TIMEOUT_MS = 200_000;

describe('the tour of Support', () => {
  let folder: string;
  let server: ServerProcess;
  let printed: readonly string[];

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    const environment = { HOSTPLANE_CONFIG: join(folder, 'provider.yaml') };
    await writeFile(environment.HOSTPLANE_CONFIG, atOnce());
    server = await startServerOrFail(join(folder, 'data'), environment);
    printed = await paste(
      { server, folder: join(folder, 'data'), environment, timeoutMs: TIMEOUT_MS },
      steps,
    );
  }, 2 * TIMEOUT_MS);
  afterAll(async () => {
    await server?.end('SIGTERM');
    await removeTemporaryFolder(folder);
  });

  it('has no block that is not pasted or compared, and stands in the README', () => {
    const fences = [...page.matchAll(/^```/gm)].length / 2;
    const shown = steps.filter((step) => step.shown !== '').length;
    expect([steps.length > 8, steps.length + shown]).toEqual([true, fences]);
    expect(read('README.md')).toContain('](docs/tour-support.md)');
  });

  it('prints what the page shows', () => {
    for (const [i, step] of steps.entries()) expectInOrder(printed[i] ?? '', partsOf(step));
  });
});
