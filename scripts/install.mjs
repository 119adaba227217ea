// Installs the npm packages. It runs before they exist, so it uses only Node itself. Its messages go to
// stderr, so that the output of the calling command stays clean.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export function install() {
  checkNode();
  if (isInstalled()) return;
  console.error('Installing packages ...');
  // The versions come from the lock file, which does not change. `npm install` also completes an installation that
  // is only partly there, where `npm ci` would begin again. Development packages are needed for the build, whatever
  // NODE_ENV is. What npm says is shown only if it fails.
  const { status, error, stdout, stderr } = spawnSync(
    'npm',
    ['install', '--no-save', '--include=dev', '--include=optional'],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  console.error(
    error
      ? `npm could not be run (${error.message}). Install npm, then try again.`
      : 'The packages could not be installed. The lines above show the reason; fix it and try again.',
  );
  process.exit(1);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(
    `Hostplane needs Node 20.19 or newer (24 is recommended); this is ${process.version}. ` +
      'Install a newer Node from https://nodejs.org and try again.',
  );
  process.exit(1);
}

/**
 * Compares the lock file with npm's record of installed packages; optional packages for other platforms may
 * be missing.
 */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    return present[path] ? present[path].version === version : optional === true;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return {};
  }
}
