import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  await mkdir(join(folder, 'scripts'));
  const script = new URL('../../scripts/install.mjs', import.meta.url);
  await copyFile(script, join(folder, 'scripts', 'install.mjs'));
  const lock = { packages: { '': {}, 'node_modules/missing': { version: '1.0.0' } } };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
});
afterEach(() => removeTemporaryFolder(folder));

/** Installs in a clone without packages, with an npm that warns and ends with this exit code. */
async function install(code: number) {
  const npm = join(folder, 'npm');
  await writeFile(npm, `#!/bin/sh\necho added 1 package\necho npm warn EBADENGINE >&2\nexit ${code}\n`);
  await chmod(npm, 0o755);
  const program = "import { install } from './scripts/install.mjs'; install();";
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` },
  });
  return { status, stdout, stderr };
}

it('the installation prints one line and no output of npm if it succeeds', async () => {
  expect(await install(0)).toEqual({ status: 0, stdout: '', stderr: 'Installing packages ...\n' });
});

it('the installation prints the output of npm if it fails', async () => {
  const { status, stdout, stderr } = await install(1);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/added 1 package\nnpm warn EBADENGINE\n.*could not be installed/s);
});
