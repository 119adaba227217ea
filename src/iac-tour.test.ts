import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInOrder, partsOf, paste, stepsOf } from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { atOnce } from './testing/provider-file.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';
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

  beforeAll(async () => {
    temporary = await makeTemporaryFolder();
    const provider = join(temporary, 'provider.json');
    await writeFile(provider, atOnce());
    server = await startServerOrFail(join(temporary, 'data'), { HOSTPLANE_CONFIG: provider });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server?.end('SIGTERM');
    await removeTemporaryFolder(temporary);
  });

  it(
    'does what it says, pasted as it stands',
    async () => {
      // The page has just looked at the machine, and looking again takes a third of the time that destroying it takes.
      const tofu = await Tofu.open(temporary, { TF_CLI_ARGS_destroy: '-refresh=false' });
      const { command, environment } = tofu.forShell();
      await writeFile(join(temporary, 'tofu'), `#!/bin/sh\nexec ${command} "$@"\n`);
      await chmod(join(temporary, 'tofu'), 0o755);
      const steps = stepsOf(page);
      const printed = await paste(
        {
          server,
          folder: join(temporary, 'data'),
          environment: { ...environment, PATH: `${temporary}${delimiter}${process.env['PATH']}` },
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
