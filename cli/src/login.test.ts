import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeTemporaryFolder } from '../../src/testing/folder.ts';
import { contextsFile } from './contexts/contexts.ts';
import { startProgram } from './testing/program.ts';
import { type Folders, makeFolders, openSite, runLine, type Setting, type Site } from './testing/site.ts';

let site: Site;
let folders: Folders;
beforeAll(async () => {
  site = await openSite();
  folders = await makeFolders();
});
afterAll(async () => {
  await site.close();
  await removeTemporaryFolder(folders.folder);
});

const line = (words: string, setting: Setting = {}) =>
  runLine(words.split(' '), { ...setting, env: { ...folders.env, ...setting.env } });

describe('before a login', () => {
  it('3: says how to log in', async () => {
    const { code, err } = await line('vm list');
    expect([code, err]).toEqual([3, expect.stringContaining('Run hostplane login')]);
  });

  it('shows help without a server', async () => {
    const { code, out } = await line('--help');
    expect([code, out]).toEqual([0, expect.stringContaining('Run hostplane login to see the commands')]);
  });
});

describe('a login', () => {
  it('asks for the key without showing it, and stores it for its owner only', async () => {
    const { code, err, out, asked } = await line(`login --url ${site.url}`, { answers: ['key', site.key] });
    expect([code, asked]).toEqual([
      0,
      [expect.stringContaining('Press Enter to log in with the browser'), 'API key (it is not shown): '],
    ]);
    expect(`${out}${err}`).not.toContain(site.key);
    const path = contextsFile(folders.env);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    expect((await line('account whoami get -o json')).code).toBe(0);
  });

  it('takes the key from stdin where there is no terminal', async () => {
    const { code } = await line(`login --url ${site.url}/ --context second`, { input: `${site.key}\n` });
    expect(code).toBe(0);
    const { out } = await line('contexts');
    expect(out).toMatch(/^NAME .*\ndefault +- +http.*\nsecond +yes +http/);
    expect(out).not.toContain(site.key);
    expect((await line('contexts use default')).code).toBe(0);
    expect((await line("contexts -o json --query [?current=='yes'].name")).out).toBe('[\n  "default"\n]\n');
    expect((await line('location list --context second -o name')).code).toBe(0);
  });

  it('3: a wrong key is not stored', async () => {
    const wrong = 'hpk1_EXAMPLEkey00_EXAMPLEONLYdoNOTuse00000000000001bUagA';
    const { code, err } = await line(`login --no-browser --url ${site.url} --context wrong`, {
      answers: [wrong],
    });
    expect([code, err]).toEqual([3, expect.stringMatching(/\(api_key_invalid\)[\s\S]*Next step: /)]);
    expect(await readFile(contextsFile(folders.env), 'utf8')).not.toContain('wrong');
  });

  it('2: an unknown context suggests the nearest', async () => {
    const { code, err } = await line('vm list --context secnd');
    expect([code, err]).toEqual([2, 'There is no context "secnd". Did you mean second?\n']);
  });

  it('a logout forgets the key', async () => {
    expect((await line('logout --context second')).code).toBe(0);
    expect((await line('contexts -o json')).out).not.toContain('second');
  });
});

describe('the environment', () => {
  it('takes precedence over the current context, and --context over the environment', async () => {
    const env = { HOSTPLANE_URL: 'http://127.0.0.1:9', HOSTPLANE_API_KEY: site.key };
    expect((await line('location list', { env })).code).toBe(9);
    expect((await line('location list --context default', { env })).code).toBe(0);
  });

  it('2: a key without a URL is sent nowhere', async () => {
    const { code, err } = await line('location list', { env: { HOSTPLANE_API_KEY: site.key } });
    expect([code, err]).toEqual([2, expect.stringContaining('HOSTPLANE_URL is not')]);
  });
});

describe('the file with the keys', () => {
  it('1: is reported if it is damaged', async () => {
    const other = await makeFolders();
    await line(`login --no-browser --url ${site.url}`, { answers: [site.key], env: other.env });
    const path = contextsFile(other.env);
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 40));
    const { code, err } = await line('vm list', { env: other.env });
    expect([code, err]).toEqual([1, expect.stringContaining('is damaged')]);
    await removeTemporaryFolder(other.folder);
  });

  it('is complete whenever the program is killed', async () => {
    const other = await makeFolders();
    const path = contextsFile(other.env);
    const env = { ...other.env };
    for (let i = 0; i < 12; i += 1) {
      const program = await startProgram(['login', '--url', site.url, '--context', `c${i}`], env);
      program.child.stdin?.end(site.key);
      // Begins the kill at the moment when the file changes, and a little later each time.
      const killed = killSoon(program.child, join(dirname(path)), i);
      await program.ended;
      await killed;
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text === null) continue;
      const { contexts } = JSON.parse(text) as { contexts: Record<string, { key: string }> };
      expect(Object.values(contexts).every(({ key }) => key === site.key)).toBe(true);
    }
    const { code } = await line(`login --no-browser --url ${site.url} --context last`, {
      answers: [site.key],
      env,
    });
    expect([code, (await stat(path)).mode & 0o777]).toEqual([0, 0o600]);
    await removeTemporaryFolder(other.folder);
  });
});

/** Kills the process when a file appears in the folder that was not there before, or after some turns of waiting. */
async function killSoon(
  child: { kill(signal: 'SIGKILL'): boolean; exitCode: number | null; signalCode: string | null },
  folder: string,
  turns: number,
) {
  const before = (await readdir(folder).catch(() => [])).length;
  while (
    child.exitCode === null &&
    child.signalCode === null &&
    (await readdir(folder).catch(() => [])).length <= before
  )
    await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < turns * 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
}
