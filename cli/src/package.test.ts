/** The package that customers install: small, complete, and without the server. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../src/testing/folder.ts';
import { programPath } from './testing/program.ts';
import { runLine } from './testing/site.ts';

const run = promisify(execFile);
const home = join(import.meta.dirname, '..');

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: Packed;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: home });
  [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed];
});
afterAll(() => removeTemporaryFolder(folder));

describe('the package', () => {
  it('has one file, its manifest, a README and the license, and less than 250 kB', () => {
    expect(packed.files.map(({ path }) => path).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/hostplane.cjs',
      'package.json',
    ]);
    expect(packed.unpackedSize).toBeLessThan(250_000);
  });

  it('runs without a checkout and without other packages', async () => {
    await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
    const program = join(folder, 'package', 'dist', 'hostplane.cjs');
    const env = { PATH: process.env['PATH'], HOME: folder };
    const { stdout } = await run(process.execPath, [program, '--version'], { env, cwd: folder });
    expect(stdout).toMatch(/^hostplane \d+\.\d+\.\d+\n$/);
    const help = await run(program, ['--help'], { env, cwd: folder });
    expect(help.stdout).toContain('hostplane login');
  });

  it('loads no network and no cryptography for help, because they take most of its time', async () => {
    const listModules = join(folder, 'list-modules.cjs');
    const list = join(folder, 'modules.json');
    await writeFile(
      listModules,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)));`,
    );
    // A pipe would need the network's module.
    const output = await open(join(folder, 'help.txt'), 'w');
    const child = spawn(process.execPath, ['--require', listModules, await programPath(), '--help'], {
      env: { HOME: folder },
      stdio: ['ignore', output.fd, output.fd],
    });
    const [code] = await once(child, 'close');
    await output.close();
    expect(code).toBe(0);
    const loaded = JSON.parse(await readFile(list, 'utf8')) as string[];
    const slow = ['net', 'tls', 'http', 'https', 'crypto', 'zlib', 'readline', 'fs/promises'];
    expect(loaded.filter((name) => slow.includes(name.replace('NativeModule ', '')))).toEqual([]);
  });

  it('says where the commands of the operator are', async () => {
    const { code, err } = await runLine(['admin', 'serve']);
    expect([code, err]).toEqual([2, expect.stringContaining('part of the server')]);
  });
});
