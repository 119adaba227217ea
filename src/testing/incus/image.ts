/**
 * Builds an image of one megabyte that starts in less than a second: busybox with a minimal cloud-init and a web
 * page.
 */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { searchPath } from './programs.ts';

const run = promisify(execFile);

export const IMAGE_FILE = 'image.tar';
const GUEST = join(import.meta.dirname, 'guest');

const folders = [
  ...['bin', 'sbin', 'usr/bin', 'usr/sbin', 'etc', 'dev', 'proc', 'sys', 'run', 'tmp', 'mnt', 'root'],
  ...['var/www', 'var/log', 'var/lib/cloud/seed/nocloud-net'],
];

const inEtc = ['inittab', 'boot', 'terminal', 'halt', 'addresses', 'leased', 'cloud-init'];

const written: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/shadow': 'root:*:19000:0:99999:7:::\n',
  'etc/group': 'root:x:0:\n',
  'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
};

/** In the notation of the engines. */
const architecture = arch() === 'arm64' ? 'aarch64' : 'x86_64';

/** Builds the image in this folder and returns the path of the file. `complete` adds to its root file system. */
export async function buildImage(
  folder: string,
  complete: (root: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const place = join(folder, 'image');
  const root = join(place, 'rootfs');
  for (const name of folders) await mkdir(join(root, name), { recursive: true });
  await chmod(join(root, 'tmp'), 0o1777);
  await installBusybox(root);
  for (const name of inEtc) await cp(join(GUEST, name), join(root, 'etc', name));
  for (const name of ['reboot', 'chpasswd']) await cp(join(GUEST, name), join(root, 'usr/sbin', name));
  for (const [path, text] of Object.entries(written)) await writeFile(join(root, path), text);
  await chmod(join(root, 'etc/shadow'), 0o600);
  await complete(root);
  await cp(join(GUEST, 'templates'), join(place, 'templates'), { recursive: true });
  const metadata = await readFile(join(GUEST, 'metadata.yaml'), 'utf8');
  await writeFile(join(place, 'metadata.yaml'), `architecture: ${architecture}\n${metadata}`);
  const file = join(folder, IMAGE_FILE);
  const owner = ['--numeric-owner', '--owner=0', '--group=0'];
  await run('tar', [...owner, '-C', place, '-cf', file, 'metadata.yaml', 'templates', 'rootfs']);
  return file;
}

async function installBusybox(root: string): Promise<void> {
  const env = { ...process.env, PATH: searchPath };
  const { stdout: program } = await run('sh', ['-c', 'command -v busybox'], { env });
  await cp(program.trim(), join(root, 'bin/busybox'), { dereference: true });
  const { stdout: list } = await run(program.trim(), ['--list']);
  const ours = new Set(['busybox', 'reboot']);
  for (const name of list
    .trim()
    .split('\n')
    .filter((name) => !ours.has(name)))
    await symlink('/bin/busybox', join(root, name === 'init' ? 'sbin' : 'bin', name));
  await symlink('/usr/sbin/reboot', join(root, 'sbin/reboot'));
}
