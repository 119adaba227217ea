import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
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
  expect(text).not.toContain('"resolved"');
  const isForLinux = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Package) =>
    os.includes('linux') && cpu.some((one) => ['x64', 'arm64'].includes(one)) && libc.includes('glibc');
  const unchecked = Object.entries(packages)
    .filter(([path, own]) => path !== '' && isForLinux(own) && own.integrity === undefined)
    .map(([path]) => path);
  expect(unchecked).toEqual([]);
});
