/** How much a browser has to load: measured in the built files, as gzip. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePortal } from '../../testing/browser/portal.ts';

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

let folder: string;
let manifest: Readonly<Record<string, Chunk>>;

beforeAll(async () => {
  folder = await ensurePortal();
  manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'));
});

const size = (file: string): number => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;

/** The files of a chunk and of everything that it loads at once. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name]!;
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const css of chunk.css ?? []) found.add(css);
  for (const other of chunk.imports ?? []) filesOf(other, found);
  return found;
}

const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + size(file), 0) / 1000;

describe('what a browser loads', () => {
  it('for the sign-in page is at most 85 kB of script and style', () => {
    expect(kilobytes(filesOf('door.html'))).toBeLessThanOrEqual(85);
  });

  it('for the first page after signing in is at most 150 kB', () => {
    const files = new Set([...filesOf('index.html'), ...filesOf('src/pages/home/home.tsx')]);
    expect(kilobytes(files)).toBeLessThanOrEqual(150);
  });

  // Over HTTP/1.1 a browser fetches six files at a time.
  it.each(['index.html', 'door.html'])('of %s before anything is shown is at most six files', (name) => {
    expect([...filesOf(name)].length).toBeLessThanOrEqual(6);
  });

  it.each(['index.html', 'door.html'])('of %s begins with the style', (name) => {
    const page = readFileSync(join(folder, name), 'utf8');
    expect(page.indexOf('rel="stylesheet"')).toBeGreaterThan(0);
    expect(page.indexOf('rel="stylesheet"')).toBeLessThan(page.indexOf('<script'));
  });

  it('for any other page is at most 25 kB more', () => {
    const there = filesOf('index.html');
    const pages = Object.values(manifest)
      .filter(({ file }) => there.has(file))
      .flatMap(({ dynamicImports = [] }) => dynamicImports);
    expect(pages.length).toBeGreaterThan(15);
    const sizes = pages.map((name) => [
      name,
      kilobytes([...filesOf(name)].filter((file) => !there.has(file))),
    ]);
    expect(sizes.filter(([, kB]) => Number(kB) > 25)).toEqual([]);
  });
});
