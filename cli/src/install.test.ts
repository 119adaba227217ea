/** Installs the command line from a running server, as customers do. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installCommand, npmCommand } from '../../src/surfaces/cli-package/commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../src/testing/folder.ts';
import { type ServerProcess, startServerOrFail } from '../../src/testing/server-process.ts';

const START_MS = 300_000;

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  server = await startServerOrFail(join(folder, 'data'), { TMPDIR: folder });
}, START_MS);
afterAll(async () => {
  await server?.end('SIGTERM');
  await removeTemporaryFolder(folder);
});

const PATH = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(file: string, args: readonly string[], env: Record<string, string>): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(file, [...args], { env: { PATH, ...env } });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

const shell = (line: string, env: Record<string, string>): Promise<Ran> => run('/bin/sh', ['-c', line], env);

const emptyHome = async (name: string): Promise<string> => {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  return home;
};

describe('curl … | sh', () => {
  it('installs for one user, and the program calls the server', async () => {
    const home = await emptyHome('home');
    const first = await shell(installCommand(server.url), { HOME: home });
    expect([first.code, first.err]).toEqual([0, '']);
    const program = join(home, '.local/bin/hostplane');
    expect(first.out).toMatch(/^Installed hostplane \d+\.\d+\.\d+ as /);
    expect(first.out).toContain('not in your PATH');
    expect(first.out).toContain(`Next: ${program} login --url ${server.url}\n`);
    expect((await run(program, ['--version'], { HOME: home })).out).toMatch(/^hostplane \d/);
    const key = server.apiKey ?? '';
    const called = await run(program, ['location', 'ls', '-o', 'name'], {
      HOME: home,
      HOSTPLANE_URL: server.url,
      HOSTPLANE_API_KEY: key,
    });
    expect([called.code, called.out]).toEqual([0, expect.stringMatching(/\w/)]);
    // Nothing but the two folders is touched.
    expect((await readdir(home)).sort()).toEqual(['.cache', '.local']);
    const again = await shell(installCommand(server.url), { HOME: home });
    expect([again.code, again.err]).toEqual([0, '']);
  });

  it('refuses a file with another checksum, and installs nothing', async () => {
    const home = await emptyHome('mismatch');
    const script = await (await fetch(`${server.url}/cli.sh`)).text();
    const other = join(folder, 'other.sh');
    await writeFile(
      other,
      script.replace(/^sha256=./m, (text) => `${text.slice(0, -1)}x`),
    );
    const { code, err } = await run('/bin/sh', [other], { HOME: home });
    expect([code, err]).toEqual([1, expect.stringContaining('Nothing was installed')]);
    expect(await readdir(home)).toEqual([]);
  });

  it('names the required Node version if it is missing or too old', async () => {
    const home = await emptyHome('node');
    const tools = await emptyHome('tools');
    for (const name of ['sh', 'curl', 'printf', 'tar']) {
      const { out } = await shell(`command -v ${name}`, {});
      if (out.startsWith('/')) await symlink(out.trim(), join(tools, name));
    }
    const line = installCommand(server.url);
    const none = await run('/bin/sh', ['-c', line], { PATH: tools, HOME: home });
    expect([none.code, none.err]).toEqual([1, expect.stringMatching(/needs Node\.js 20\.19 .* has none/)]);
    await writeFile(
      join(tools, 'node'),
      '#!/bin/sh\n[ "$1" = --version ] && echo v18.0.0\n[ "$1" = --version ]\n',
    );
    await chmod(join(tools, 'node'), 0o755);
    const old = await run('/bin/sh', ['-c', line], { PATH: tools, HOME: home });
    expect([old.code, old.err]).toEqual([1, expect.stringMatching(/has v18\.0\.0/)]);
    expect(await readdir(home)).toEqual([]);
  });

  it('keeps a different program of the same name', async () => {
    const home = await emptyHome('other');
    await mkdir(join(home, '.local/bin'), { recursive: true });
    await writeFile(join(home, '.local/bin/hostplane'), 'mine');
    const { code, err } = await shell(installCommand(server.url), { HOME: home });
    expect([code, err]).toEqual([1, expect.stringContaining('There already is another')]);
    expect(await readFile(join(home, '.local/bin/hostplane'), 'utf8')).toBe('mine');
  });

  it('does nothing if the script arrives only in part', async () => {
    const home = await emptyHome('part');
    const script = await (await fetch(`${server.url}/cli.sh`)).text();
    const part = join(folder, 'part.sh');
    await writeFile(part, script.slice(0, script.lastIndexOf('main')));
    expect((await run('/bin/sh', [part], { HOME: home })).code).toBe(0);
    expect(await readdir(home)).toEqual([]);
  });
});

describe('npm install', () => {
  it('installs the same program', async () => {
    const home = await emptyHome('npm');
    const env = { HOME: home, npm_config_prefix: home, npm_config_offline: 'false' };
    const { code, err } = await shell(`${npmCommand(server.url)} --no-audit --no-fund`, env);
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect((await run(join(home, 'bin/hostplane'), ['--version'], { HOME: home })).out).toMatch(
      /^hostplane \d/,
    );
  });
});

describe('the files', () => {
  it.each(['/cli.sh', '/cli.tgz'])(
    '%s can be cached, and is not sent again if it is unchanged',
    async (path) => {
      const answer = await fetch(`${server.url}${path}`);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
      const etag = answer.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
      const again = await fetch(`${server.url}${path}`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    },
  );
});
