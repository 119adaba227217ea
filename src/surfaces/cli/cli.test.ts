import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDefaultText } from '../../provider/default.ts';
import { runCommand } from '../../testing/command-line.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
afterAll(() => removeTemporaryFolder(folder));

describe('the command line', () => {
  it('starts the server without a command, with the given configuration', async () => {
    const plain = await runCommand([], { env: { HOSTPLANE_PORT: '9999' } });
    expect(plain).toMatchObject({ code: 0, served: [{ server: { port: 9999 } }] });
    expect((await runCommand(['serve'])).served).toHaveLength(1);
    const file = join(folder, 'own.yaml');
    await writeFile(file, 'server: { port: 7777 }\n');
    for (const [argv, env] of [
      [['--config', file], {}],
      [['serve', '-c', file], {}],
      [['serve'], { HOSTPLANE_CONFIG: file }],
    ] as const) {
      expect((await runCommand(argv, { env })).served[0]?.server.port).toBe(7777);
    }
  });

  it('uses hostplane.yaml of the current folder', async () => {
    const here = join(folder, 'here');
    await mkdir(here);
    await writeFile(join(here, 'hostplane.yaml'), 'server: { port: 6666 }\n');
    expect((await runCommand([], { folder: here })).served[0]?.server.port).toBe(6666);
  });

  it('starts nothing with an invalid configuration, and reports every fault', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(file, 'server: { prot: 1, host: 0.0.0.0 }\n');
    const { code, err, served } = await runCommand(['serve', '--config', file]);
    expect([code, served]).toEqual([1, []]);
    expect(err).toContain('wrong.yaml:1:11 /server/prot');
    expect(err).toContain('/server/host');
    const check = await runCommand(['config', 'check', file, '--json']);
    expect(check.code).toBe(1);
    expect(JSON.parse(check.out)).toMatchObject({ valid: false, faults: [{ path: '/server/prot' }, {}] });
  });

  it('checks the built-in configuration and prints it', async () => {
    expect(await runCommand(['config', 'check'])).toMatchObject({ code: 0 });
    expect((await runCommand(['config', 'print-default'])).out).toBe(readDefaultText());
  });

  it.each([
    [['key', 'list'], 'There is no command "key". Did you mean keys?'],
    [['frobnicate'], 'See: hostplane admin --help'],
    [['keys', 'lst'], "unknown command 'lst'"],
    [['keys'], 'Usage: hostplane admin keys'],
    [['keys', 'create'], "required option '--name <name>'"],
    [['keys', 'list', '--nme'], "unknown option '--nme'"],
    [['members', 'add', '--name', 'x', '--email', 'y', '--role', 'boss'], 'owner, admin, operator'],
    [['serve', 'now'], 'too many arguments'],
    [['keys', 'create', '--name', 'x', '--expires-in', '2d'], '1h, 1d, 7d'],
  ])('%j is refused with exit code 2', async (argv, message) => {
    const { code, err, out } = await runCommand(argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('prints help with groups, examples, variables and the data folder', async () => {
    const { code, out } = await runCommand(['--help']);
    expect(code).toBe(0);
    for (const text of [
      'Run:',
      'Accounts:',
      'serve',
      'doctor',
      'Examples:',
      'HOSTPLANE_DATA',
      'Where the data is:',
      'Exit codes',
      '--json',
    ]) {
      expect(out).toContain(text);
    }
    const keys = await runCommand(['keys', 'create', '--help']);
    expect(keys.out).toContain('ci-deploy');
    expect(keys.out).toContain('--account');
    expect((await runCommand(['members', '--help'])).out).toContain('billing');
    expect(await runCommand(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
  });

  it('prints the specification in both formats', async () => {
    const json = await runCommand(['spec'], { env: { HOSTPLANE_BASE_URL: 'https://api.example.com' } });
    expect(JSON.parse(json.out)).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3', contact: { name: 'Hostplane Demo', email: 'support@demo.example' } },
      servers: [{ url: 'https://api.example.com' }],
    });
    const yaml = await runCommand(['spec', '--format', 'yaml']);
    expect(yaml.out).toMatch(/^openapi: "?3\.1\.0/m);
  });

  it('does not create a database in commands that only read', async () => {
    const { code, err } = await runCommand(['accounts', 'list'], {
      env: { HOSTPLANE_DATA: join(folder, 'nowhere') },
    });
    expect(code).toBe(1);
    expect(err).toContain('hostplane admin migrate');
  });

  it('reports that the database does not answer', async () => {
    const env = { HOSTPLANE_DATABASE_URL: `postgres://nobody@localhost/none?host=${folder}` };
    const { code, err } = await runCommand(['accounts', 'list'], { env });
    expect(code).toBe(1);
    expect(err).toContain('The database does not answer');
    expect(err).toContain('hostplane admin doctor');
    const json = await runCommand(['accounts', 'list', '--json'], { env });
    expect(JSON.parse(json.err)).toMatchObject({ error: { code: 'database_unavailable' } });
  });
});
