/** Adds the programs of a VPN gateway, with their libraries, to the root file system of the test image. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './programs.ts';

const run = promisify(execFile);
const needed = ['wireguard-go', 'wg', 'nft', 'flock'];

async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program]);
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = '']) => path);
}

async function install(root: string, path: string, to = path): Promise<void> {
  await mkdir(dirname(join(root, to)), { recursive: true });
  await cp(path, join(root, to), { dereference: true, force: true });
}

export async function installVpn(root: string): Promise<void> {
  for (const name of needed) {
    const program = findProgram(name) ?? name;
    await install(root, program, `/usr/sbin/${name}`);
    for (const library of await librariesOf(program)) await install(root, library);
  }
  // The driver configures the private interfaces of a gateway.
  const script = join(root, 'etc/addresses');
  const text = await readFile(script, 'utf8');
  await writeFile(script, text.replace('eth0 eth1 eth2 eth3', 'eth0'));
}
