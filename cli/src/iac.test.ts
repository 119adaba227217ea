/** `hostplane iac`: lists the files of the server, and writes them without harm to what is there. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../src/testing/folder.ts';
import { openSite, type Ran, runLine, type Site } from './testing/site.ts';

const usual: Readonly<Record<string, string>> = {
  'ansible/roles/vm/tasks/main.yml': '- name: machine\n',
  'terraform/README.md': '# Terraform\n',
  'terraform/modules/vm/README.md': '# Machines\n',
  'terraform/modules/vm/main.tf': 'resource "restful_resource" "vm" {}\n',
  'terraform/modules/vm/picture.bin': '\u00ff\u0000\n',
};

let files: Record<string, string>;
let asked: string[];
/** Sends other bytes than the list says. */
let isDamaged: boolean;
let server: Server;
let url: string;
beforeAll(async () => {
  const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
  server = createServer((request, reply) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    if (path === '/iac/') {
      const list = Object.entries(files).map(([name, text]) => ({
        path: name,
        size: bytesOf(text).length,
        sha256: createHash('sha256').update(bytesOf(text)).digest('hex'),
      }));
      const body = { specification_sha256: 'a', files: list, archive: '/iac/hostplane-iac.tar.gz' };
      return reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
    const text = files[path.replace('/iac/', '')];
    if (text === undefined)
      return reply
        .writeHead(404, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ code: 'endpoint_not_found', status: 404 }));
    return reply.writeHead(200, { 'content-type': 'text/plain' }).end(bytesOf(isDamaged ? `${text}.` : text));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let folder: string;
let target: string;
beforeEach(async () => {
  files = { ...usual };
  asked = [];
  isDamaged = false;
  folder = await makeTemporaryFolder();
  target = join(folder, 'infra');
});
afterEach(() => removeTemporaryFolder(folder));

const line = (...words: readonly string[]): Promise<Ran> =>
  runLine(['iac', ...words], { env: { HOME: folder, HOSTPLANE_URL: url } });

const written = async (): Promise<string[]> =>
  (await readdir(target, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
    .sort();

describe('iac', () => {
  it('lists the files', async () => {
    const { code, out } = await line();
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^PATH +SIZE\nansible\/roles\/vm\/tasks\/main\.yml +16\n/),
    ]);
    const json = await line('terraform', '-o', 'json');
    expect(JSON.parse(json.out)).toContainEqual({
      path: 'terraform/README.md',
      size: 12,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await written()).toEqual([]);
  });

  it.each([
    ['terraform', 4],
    ['terraform/modules/vm/', 3],
    ['terraform/README.md', 1],
    ['modules', 3],
    ['vm', 4],
  ])('%s selects the files below it, or in the folders of that name', async (what, count) => {
    const { out } = await line(what, '-o', 'json');
    expect(JSON.parse(out)).toHaveLength(count);
  });

  it('5: suggests a name near to an unknown one', async () => {
    const { code, err } = await line('terrafrom');
    expect([code, err]).toEqual([5, 'There are no files in "terrafrom". Did you mean terraform?\n']);
  });

  it('5: says that the server has none', async () => {
    const { code, err } = await runLine(['iac'], { env: { HOME: folder, HOSTPLANE_URL: `${url}/older` } });
    expect([code, err]).toEqual([5, expect.stringContaining('has no files for Terraform and Ansible')]);
  });

  it('writes the files byte by byte, and says what to do next', async () => {
    const { code, out, err } = await line('--output', target);
    expect([code, out]).toEqual([0, '']);
    expect(err).toBe(
      `Wrote 5 files into ${target}.\nNext: read ${target}/terraform/README.md. The files contain no key: they take it from the environment.\n`,
    );
    expect(await written()).toEqual(Object.keys(usual).sort());
    for (const [path, text] of Object.entries(usual))
      expect(await readFile(join(target, path), 'latin1')).toBe(text);
  });

  it('downloads only missing files the second time', async () => {
    await line('ansible', '--output', target);
    asked = [];
    const { err } = await line('--output', target);
    expect(err).toContain(`Wrote 4 files into ${target}; 1 file was there already.`);
    expect(asked).not.toContain('/iac/ansible/roles/vm/tasks/main.yml');
  });

  it('6: writes nothing if a file was changed, except with --force', async () => {
    await line('terraform', '--output', target);
    const changed = join(target, 'terraform/modules/vm/main.tf');
    await writeFile(changed, 'mine\n');
    const refused = await line('--output', target);
    expect([refused.code, refused.err]).toEqual([
      6,
      `One file differs from what the server has. Nothing was written.\n  ${changed}\nTo overwrite them, add --force. To compare, choose another folder.\n`,
    ]);
    expect([await readFile(changed, 'utf8'), (await written()).length]).toEqual(['mine\n', 4]);
    expect((await line('--output', target, '--force')).code).toBe(0);
    expect(await readFile(changed, 'utf8')).toBe(usual['terraform/modules/vm/main.tf']);
  });

  it('1: refuses a file that differs from the list', async () => {
    isDamaged = true;
    const { code, err } = await line('--output', target);
    expect([code, err]).toEqual([1, expect.stringContaining('It was not written. Run the command again.')]);
    expect(await written()).toEqual([]);
  });

  it.each([
    '../outside',
    '/etc/outside',
    'a/../../outside',
    'a//b',
    'C:/outside',
    'a\\..\\..\\b',
    '.',
    'a/\u001b[2J',
  ])('1: refuses the path %j, and writes nothing at all', async (path) => {
    files = { 'a.tf': '', [path]: 'bad' };
    const { code, err } = await line('--output', target);
    expect([code, err]).toEqual([1, expect.stringContaining('could leave the folder. Nothing was written.')]);
    expect([await written(), await readdir(folder)]).toEqual([[], []]);
  });

  it('2: does not follow a link out of the folder', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    await mkdir(target);
    await symlink(elsewhere, join(target, 'terraform'));
    const { code, err } = await line('terraform', '--output', target);
    expect([code, err]).toEqual([2, expect.stringContaining('is a link that leaves')]);
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('2: names the file that is in the way', async () => {
    await mkdir(join(target, 'terraform/README.md'), { recursive: true });
    const { code, err } = await line('terraform', '--output', target);
    expect([code, err]).toEqual([2, expect.stringContaining('is in the way')]);
  });

  it('2: names a file that stands where the folder should be', async () => {
    await writeFile(target, 'a file');
    const { code, err } = await line('terraform', '--output', target);
    expect([code, err]).toEqual([2, expect.stringContaining('is in the way')]);
  });
});

describe('iac with the files of the real server', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site.close());

  it('writes the same bytes as the archive has, and says where to begin', async () => {
    const { code, err } = await site.line(['iac', '--output', target]);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(`Next: read ${target}/ansible/README.md or ${target}/terraform/README.md. `),
    ]);
    const packed = join(folder, 'all.tar.gz');
    const answer = await fetch(`${site.url}/iac/hostplane-iac.tar.gz`);
    await writeFile(packed, Buffer.from(await answer.arrayBuffer()));
    const compared = spawnSync('tar', ['--diff', '-zf', packed, '-C', target], { encoding: 'utf8' });
    // The times and owners of files differ, their bytes do not.
    expect(compared.stdout.split('\n').filter((text) => /contents|size|No such/i.test(text))).toEqual([]);
    const listed = spawnSync('tar', ['-tzf', packed], { encoding: 'utf8' }).stdout.trim().split('\n');
    expect(await written()).toEqual(listed.sort());
  });

  it('writes one module, with the hash of the specification in it', async () => {
    const { code, err } = await site.line(['iac', 'terraform/modules/vm', '--output', target]);
    expect([code, err]).toEqual([0, expect.stringContaining('terraform/modules/vm/README.md')]);
    const etag = (await fetch(`${site.url}/openapi.json`)).headers.get('etag') ?? '';
    const main = await readFile(join(target, 'terraform/modules/vm/main.tf'), 'utf8');
    expect(main).toContain(etag.replaceAll('"', ''));
  });
});
