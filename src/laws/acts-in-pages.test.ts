/** Every act of the portal is used by a page of the application, or by the command line: what people may do, they can find. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { acts } from '../surfaces/portal/acts/index.ts';

const folders = ['../../portal/src/', '../../cli/src/browser/'].map((path) => new URL(path, import.meta.url));
const ANYTHING = '[^/]+';

/** The paths that a file of the application calls, as patterns. `acts(account)` and named parts are written out. */
function pathsIn(text: string): string[] {
  const named = new Map(
    [...text.matchAll(/const (\w+) = [`']([^`'\n]+)[`'];/g)].map(([, name, value]) => [name!, value!]),
  );
  const writtenOut = (path: string): string =>
    path
      .replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => named.get(name) ?? whole)
      .replaceAll(/\$\{acts\(account\)\}/g, `/portal/v1/accounts/${ANYTHING}`);
  return [...text.matchAll(/[`']((?:\/portal\/v1|\$\{acts\(account\)\}|\$\{path\})[^`'\n]*)[`']/g)].map(
    ([, path]) =>
      writtenOut(path!)
        // A query is no part of the path.
        .replace(/(?:\?|\$\{[^}]*\?).*$/, '')
        .replaceAll(/\$\{.*?\}/g, ANYTHING),
  );
}

it('every act is called by a page or by the command line', () => {
  const called = new Set(
    folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file))
        .flatMap((file) => pathsIn(readFileSync(new URL(file, folder), 'utf8'))),
    ),
  );
  const patterns = [...called].map((path) => new RegExp(`^${path}$`));
  const unused = acts.filter(({ path }) => !patterns.some((pattern) => pattern.test(`/portal/v1${path}`)));
  expect(unused.map(({ id }) => id)).toEqual([]);
});
