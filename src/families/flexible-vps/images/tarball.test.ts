import { execFile } from 'node:child_process';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { inspect } from './formats.ts';

const run = promisify(execFile);
let folder: string;
let tree: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  tree = join(folder, 'tree');
  await mkdir(join(tree, 'rootfs', 'etc'), { recursive: true });
  await writeFile(join(tree, 'metadata.yaml'), 'architecture: x86_64\n');
  await writeFile(join(tree, 'rootfs', 'etc', 'hostname'), 'x'.repeat(1000));
  await symlink('usr/bin', join(tree, 'rootfs', 'bin'));
  await symlink('/run/resolv.conf', join(tree, 'rootfs', 'etc', 'resolv.conf'));
  await link(join(tree, 'rootfs', 'etc', 'hostname'), join(tree, 'rootfs', 'etc', 'same'));
});
afterEach(() => removeTemporaryFolder(folder));

async function pack(...args: string[]): Promise<string> {
  const file = join(folder, 'image.tar');
  await run('tar', ['-C', tree, '-cf', file, ...args]);
  return file;
}
const failure = async (file: string): Promise<string> =>
  inspect(file, null).then(
    () => 'none',
    ({ code, message }) => `${code}: ${message}`,
  );

describe('a container image', () => {
  it.each([
    ['as it is', ['metadata.yaml', 'rootfs']],
    ['from where it lies', ['.']],
  ])('is recognised by its content, packed %s', async (_, names) => {
    const file = await pack(...names);
    const metadata = 'architecture: x86_64\n'.length;
    expect(await inspect(file, null)).toEqual({ format: 'tarball', virtualBytes: 1000 + metadata });
    await expect(inspect(file, 'qcow2')).rejects.toThrow('The file must be qcow2, but it is tarball.');
  });

  it('is refused without a root file system or without metadata.yaml', async () => {
    expect(await failure(await pack('rootfs'))).toMatch('does not contain exactly one metadata.yaml');
    expect(await failure(await pack('metadata.yaml'))).toMatch('does not contain exactly one metadata.yaml');
    await writeFile(join(tree, 'rootfs.img'), 'a disk');
    expect(await failure(await pack('metadata.yaml', 'rootfs.img'))).toMatch(
      'does not contain exactly one metadata.yaml',
    );
  });

  const moved = (to: string) => ['-P', '--transform', `s,^rootfs/etc/hostname$,${to},`];
  it.each([
    ['names from the root', moved('/etc/hostname')],
    ['names that climb', moved('rootfs/../../hostname')],
    ['files behind a link', moved('rootfs/bin/hostname')],
    ['files behind a link by another way', moved('rootfs//./bin/hostname')],
    ['files deep behind a link', moved('rootfs/bin/a/b')],
  ])('is refused if a path leads out of the archive by %s', async (_, tricks) => {
    const file = await pack(...tricks, 'metadata.yaml', 'rootfs/bin', 'rootfs/etc');
    expect(await failure(file)).toMatch(/^unsupported_format: .*leads out of the archive/);
  });

  it.each([
    ['is no YAML', 'a: [', 'is not valid YAML'],
    ['names no architecture', 'creation_date: 1', 'names no architecture'],
    ['has another as template', 'templates: {/etc/hosts: {template: ../../../etc/shadow}}', 'leads out'],
    ['has one that is none', 'templates: {/etc/hosts: hosts.tpl}', 'has invalid templates'],
    ['writes elsewhere', 'templates: {/../../etc/cron.d/x: {template: x.tpl}}', 'leads out'],
  ])('is refused if its metadata %s', async (_, line, reason) => {
    const said = line.startsWith('templates') ? `architecture: x86_64\n${line}\n` : `${line}\n`;
    await writeFile(join(tree, 'metadata.yaml'), said);
    expect(await failure(await pack('metadata.yaml', 'rootfs'))).toMatch(reason);
  });

  it('is refused with two metadata.yaml files', async () => {
    expect(
      await failure(await pack('--hard-dereference', 'metadata.yaml', 'metadata.yaml', 'rootfs')),
    ).toMatch('does not contain exactly one');
  });

  it('is refused with links outside its root file system', async () => {
    await symlink('/etc', join(tree, 'templates'));
    expect(await failure(await pack('metadata.yaml', 'rootfs', 'templates'))).toMatch('leads out');
  });
});
