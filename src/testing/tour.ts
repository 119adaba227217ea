/** The test of a tour: all its commands run against a server of its own, and their output is compared with the page. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInOrder, partsOf, paste, stepsOf } from './documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';
import { atOnce } from './provider-file.ts';
import { type ServerProcess, startServerOrFail } from './server-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const TIMEOUT_MS = 300_000;

/** `path`: the page, such as `docs/tour-support.md`. */
export function describeTour(path: string): void {
  const page = read(path);
  const steps = stepsOf(page);
  const [, title = path] = /^# (.*)/.exec(page) ?? [];

  describe(title, () => {
    let folder: string;
    let server: ServerProcess;
    let printed: readonly string[];

    beforeAll(async () => {
      folder = await makeTemporaryFolder();
      const environment = { HOSTPLANE_CONFIG: join(folder, 'provider.yaml') };
      await writeFile(environment.HOSTPLANE_CONFIG, atOnce());
      const data = join(folder, 'data');
      server = await startServerOrFail(data, environment);
      printed = await paste({ server, folder: data, environment, timeoutMs: TIMEOUT_MS }, steps);
    }, 2 * TIMEOUT_MS);
    afterAll(async () => {
      await server?.end('SIGTERM');
      await removeTemporaryFolder(folder);
    });

    it('has no block that is not pasted or compared', () => {
      const fences = [...page.matchAll(/^```/gm)].length / 2;
      const shown = steps.filter((step) => step.shown !== '').length;
      expect([steps.length > 5, steps.length + shown]).toEqual([true, fences]);
    });

    it('links only to files that exist, and stands in the README', () => {
      for (const [, link = ''] of page.matchAll(/\]\(([^)#]+)/g))
        expect(read(`docs/${link}`).length, link).toBeGreaterThan(0);
      expect(read('README.md')).toContain(`](${path})`);
    });

    it('prints what the page shows', () => {
      for (const [i, step] of steps.entries()) expectInOrder(printed[i] ?? '', partsOf(step));
    });
  });
}
