import { execFile } from 'node:child_process';
import { mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { isTar, readTar, TarDamaged, type TarEntry, tarEnd, tarHeader, tarPadding } from './tar.ts';

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
});
afterEach(() => removeTemporaryFolder(folder));

async function look(file: string): Promise<TarEntry[]> {
  const handle = await open(file);
  try {
    const entries: TarEntry[] = [];
    for await (const entry of readTar(handle)) entries.push(entry);
    return entries;
  } finally {
    await handle.close();
  }
}

describe('tar archives', () => {
  const long = `${'folder-with-a-name-of-some-length/'.repeat(5)}file-${'x'.repeat(120)}`;

  it.each(['gnu', 'pax', 'ustar'])('of the type %s are read', async (kind) => {
    const rootfs = join(folder, 'tree', 'rootfs');
    const inside = kind === 'ustar' ? 'etc/note' : long;
    await mkdir(join(rootfs, inside, '..'), { recursive: true });
    await writeFile(join(rootfs, inside), 'twelve bytes');
    await symlink('/etc/elsewhere', join(rootfs, 'link'));
    const file = join(folder, 'it.tar');
    await run('tar', [`--format=${kind}`, '-C', join(folder, 'tree'), '-cf', file, 'rootfs']);
    const entries = await look(file);
    expect(entries.find(({ name }) => name === 'rootfs/')?.type).toBe('folder');
    expect(entries.find(({ type }) => type === 'symlink')).toMatchObject({
      name: 'rootfs/link',
      target: '/etc/elsewhere',
    });
    const entry = entries.find(({ name }) => name === `rootfs/${inside}`);
    expect(entry).toMatchObject({ type: 'file', size: 12 });
    const { position = 0 } = entry ?? {};
    const bytes = await readFile(file);
    expect(isTar(bytes)).toBe(true);
    expect(bytes.subarray(position, position + 12).toString()).toBe('twelve bytes');
  });

  it('are written so that other programs can read them', async () => {
    const file = join(folder, 'ours.tar');
    const parts = [tarHeader('one', 5), Buffer.from('first'), tarPadding(5), tarHeader('two', 0), tarEnd];
    await writeFile(file, Buffer.concat(parts));
    expect((await run('tar', ['-xOf', file, 'one'])).stdout).toBe('first');
    expect((await look(file)).map(({ name, size }) => [name, size])).toEqual([
      ['one', 5],
      ['two', 0],
    ]);
  });

  it('may hold files larger than eight gigabytes', async () => {
    const file = join(folder, 'large.tar');
    const size = 20 * 1024 ** 3;
    const handle = await open(file, 'w');
    await handle.write(tarHeader('disk', size), 0, 512, 0);
    await handle.write(tarHeader('after', 0), 0, 512, 512 + size);
    await handle.close();
    expect((await look(file)).map((entry) => [entry.name, entry.size])).toEqual([
      ['disk', size],
      ['after', 0],
    ]);
  });

  it('are refused if they are damaged or sparse', async () => {
    const file = join(folder, 'bad.tar');
    const header = tarHeader('one', 5);
    header.write('two');
    await writeFile(file, header);
    await expect(look(file)).rejects.toThrow(TarDamaged);
    await writeFile(file, Buffer.concat([tarHeader('one', 0), Buffer.alloc(512), tarHeader('hidden', 0)]));
    await expect(look(file)).rejects.toThrow(TarDamaged);
    await run('truncate', ['-s', '10M', join(folder, 'holes')]);
    for (const kind of ['gnu', 'pax']) {
      await run('tar', [`--format=${kind}`, '--sparse', '-C', folder, '-cf', file, 'holes']);
      await expect(look(file)).rejects.toThrow('--sparse');
    }
  });
});
