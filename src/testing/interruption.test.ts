import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isPostmaster, type Postmaster, readPidFile } from '../store/embedded/postmaster.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';

const root = join(import.meta.dirname, '../..');
/** Runs one file of tests as `npm test` does, without the checks before it, which take long. */
const PROGRAM = `
import { run } from ${JSON.stringify(join(root, 'scripts/interruptible.mjs'))};
await run('node_modules/.bin/vitest', ['run', '--project', 'main', 'src/pipeline/budget.test.ts']);
`;

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
});
afterEach(() => removeTemporaryFolder(folder));

const foldersOfTheRun = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('hostplane-test-'));

async function findPostgres(): Promise<{ cluster: string; postmaster: Postmaster } | undefined> {
  for (const name of await foldersOfTheRun()) {
    const cluster = join(folder, name, 'postgres', 'cluster');
    const postmaster = await readPidFile(cluster);
    if (postmaster !== undefined && (await isPostmaster(postmaster.pid, cluster)))
      return { cluster, postmaster };
  }
  return undefined;
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'tests that are interrupted by %s end their PostgreSQL and leave no folder',
  async (signal) => {
    const outer = Object.entries(process.env).filter(([name]) => !/^(VITEST|HOSTPLANE|NODE_ENV)/.test(name));
    const env = { ...Object.fromEntries(outer), TMPDIR: folder };
    const args = ['--input-type=module', '--eval', PROGRAM];
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const found = await expect.poll(findPostgres).toBeDefined().then(findPostgres);
    expect(found).toBeDefined();
    child.kill(signal);
    expect(await ended).toEqual([128 + constants.signals[signal], null]);
    expect(found && (await isPostmaster(found.postmaster.pid, found.cluster))).toBe(false);
    expect(await foldersOfTheRun()).toEqual([]);
  },
);
