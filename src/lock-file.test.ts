import { readFileSync } from 'node:fs';
import { minVersion, satisfies } from 'semver';
import { expect, it } from 'vitest';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, Package> };

/** Node looks for a package beside the one that needs it, then in each folder above. */
function find(from: string, name: string): Package | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (packages[path] !== undefined || from === '') return packages[path];
  return find(from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name);
}

it('lists the packages of all platforms, because `npm ci` refuses a lock file that lacks one', () => {
  const missing = Object.entries(packages).flatMap(([path, own]) =>
    Object.keys({ ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies })
      .filter((name) => find(path, name) === undefined)
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

it('names no registry, and has the checksum of all that is installed on Linux', () => {
  expect(text).not.toMatch(/"resolved": "\w+:/);
  const isForLinux = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Package) =>
    os.includes('linux') && cpu.some((one) => ['x64', 'arm64'].includes(one)) && libc.includes('glibc');
  const unchecked = Object.entries(packages)
    .filter(([path, own]) => path.includes('node_modules/') && own.link !== true && isForLinux(own))
    .filter(([, own]) => own.integrity === undefined)
    .map(([path]) => path);
  expect(unchecked).toEqual([]);
});

it('has no package that wants a newer Node than package.json allows, because npm would warn about it', () => {
  const lowest = minVersion(packages['']?.engines?.node ?? '*');
  const tooNew = Object.entries(packages)
    .filter(([, { engines }]) => !satisfies(lowest ?? '', engines?.node ?? '*'))
    .map(([path, { version, engines }]) => `${path} ${version} wants Node ${engines?.node}`);
  expect(tooNew).toEqual([]);
});
