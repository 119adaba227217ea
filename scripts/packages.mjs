// What the tests can use beyond npm: Debian's PostgreSQL 15, Redis and faketime. Root on Debian gets them installed,
// without their services being started; anyone else is told what is missing.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const POLICY = '/usr/sbin/policy-rc.d';

const packages = [
  { name: 'postgresql-15', isThere: hasPostgres, without: "the store's tests did not run on PostgreSQL 15" },
  { name: 'redis-server', isThere: hasRedis, without: 'the tests that need a Redis or Valkey did not run' },
  { name: 'faketime', isThere: hasFaketime, without: "the tests that move a database's clock did not run" },
];

/** Returns a sentence for each thing that is still missing. */
export function installPackages() {
  const missing = packages.filter(({ isThere }) => !isThere());
  if (missing.length === 0) return [];
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (mayInstall) withoutServices(() => missing.forEach(aptInstall));
  return missing
    .filter(({ isThere }) => !isThere())
    .map(({ name, without }) => {
      const reason = mayInstall
        ? 'apt-get could not install it (see its lines above)'
        : 'only root on Debian can install it here';
      return `${without}: the package ${name} is missing and ${reason}.`;
    });
}

function aptInstall({ name }, index) {
  if (index === 0) apt('update');
  apt('install', '--yes', '--no-install-recommends', name);
}

function apt(...args) {
  console.error(`apt-get ${args.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', process.stderr.fd, process.stderr.fd] });
}

/** Debian asks this file whether a freshly installed service may start. */
function withoutServices(action) {
  if (existsSync(POLICY)) return action();
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n');
  chmodSync(POLICY, 0o755);
  try {
    return action();
  } finally {
    rmSync(POLICY);
  }
}

function hasPostgres() {
  const folder = '/usr/lib/postgresql';
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((major) => existsSync(join(folder, major, 'bin', 'initdb')));
}

function hasRedis() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return folders.some((folder) =>
    ['redis-server', 'valkey-server'].some((name) => existsSync(join(folder, name))),
  );
}

function hasFaketime() {
  const folder = '/usr/lib';
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((name) => existsSync(join(folder, name, 'faketime', 'libfaketime.so.1')));
}
