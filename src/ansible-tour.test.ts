/** Runs the commands of docs/iac-ansible.md with the real Ansible and compares what they print. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configuration, whyNoAnsible } from './testing/ansible.ts';
import { expectInOrder, partsOf, paste, stepsOf } from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { atOnce } from './testing/provider-file.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const page = readFileSync(fileURLToPath(new URL('../docs/iac-ansible.md', import.meta.url)), 'utf8');
const steps = stepsOf(page);
const why = whyNoAnsible();

it('the tour of Ansible has no block that is not run or compared', () => {
  const fences = [...page.matchAll(/^```/gm)].length / 2;
  expect(steps.length + steps.filter((step) => step.shown !== '').length).toBe(fences);
});

describe.skipIf(why !== null)(
  `the tour of Ansible${why === null ? '' : `: ${why}`}`,
  { timeout: 600_000 },
  () => {
    let temporary: string;
    let server: ServerProcess;

    beforeAll(async () => {
      temporary = await makeTemporaryFolder();
      const provider = join(temporary, 'provider.json');
      await writeFile(provider, atOnce());
      await writeFile(join(temporary, '.ansible.cfg'), configuration);
      server = await startServerOrFail(join(temporary, 'data'), { HOSTPLANE_CONFIG: provider });
    });
    afterAll(async () => {
      await server?.end('SIGTERM');
      await removeTemporaryFolder(temporary);
    });

    it('prints what the page shows', async () => {
      const environment = { HOME: temporary, TMPDIR: temporary, LC_ALL: 'C.UTF-8', ANSIBLE_NOCOLOR: '1' };
      const printed = await paste({ server, folder: join(temporary, 'data'), environment }, steps);
      for (const [i, step] of steps.entries()) expectInOrder(printed[i] ?? '', partsOf(step));
    });
  },
);
