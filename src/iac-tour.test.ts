import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInOrder, partsOf, paste, stepsOf } from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';
import { Front } from './testing/terraform/front.ts';
import { Tofu, whyNoTofu } from './testing/terraform/tofu.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/iac.md'), 'utf8');
const TIMEOUT_MS = 600_000;

it('links only to files that exist', () => {
  const links = [...page.matchAll(/\]\((?!https:)([^)#]+)/g)].map((match) => match[1] ?? '');
  expect(links.map((link) => readFileSync(join(root, 'docs', link), 'utf8').length > 0)).not.toContain(false);
});

const title = 'the tour of infrastructure as code';
describe.skipIf(whyNoTofu !== null)(whyNoTofu === null ? title : `${title}: ${whyNoTofu}`, () => {
  let temporary: string;
  let server: ServerProcess;
  /** The server does not know the port that it got, and tools follow the addresses in its answers. */
  let front: Front;

  beforeAll(async () => {
    temporary = await makeTemporaryFolder();
    server = await startServerOrFail(join(temporary, 'data'));
    front = await Front.open(Number(new URL(server.url).port), 'http://127.0.0.1:0');
  }, TIMEOUT_MS);
  afterAll(async () => {
    await front?.close();
    await server?.end('SIGTERM');
    await removeTemporaryFolder(temporary);
  });

  it(
    'does what it says, pasted as it stands',
    async () => {
      const tofu = await Tofu.open(temporary, {});
      const { command, environment } = tofu.forShell();
      await writeFile(join(temporary, 'tofu'), `#!/bin/sh\nexec ${command} "$@"\n`);
      await chmod(join(temporary, 'tofu'), 0o755);
      const steps = stepsOf(page);
      const printed = await paste(
        {
          server: { url: front.url, apiKey: server.apiKey },
          folder: join(temporary, 'data'),
          environment: {
            ...environment,
            TF_VAR_hostplane_url: front.url,
            PATH: `${temporary}${delimiter}${process.env['PATH']}`,
          },
          timeoutMs: TIMEOUT_MS,
        },
        steps,
      );
      steps.forEach((step, i) => {
        expectInOrder(printed[i] ?? '', partsOf(step));
      });
    },
    TIMEOUT_MS,
  );
});
