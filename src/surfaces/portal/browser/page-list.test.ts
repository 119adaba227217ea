/** A page, or a dialog that an address opens, that no test looks at makes this test fail. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { nounsOf } from '../reference/nouns.ts';
import { dialogPages, openPages, pagesOfOneThing, productPages, signedInPages } from './page-list.ts';

const folder = new URL('../../../../portal/src/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
const named = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name ?? '');

const listed = [
  ...signedInPages,
  ...pagesOfOneThing('op_1', 'key_1', 'wh_1', 'op_2'),
  ...productPages(nounsOf(exampleDocument(buildRegistry(families))), () => 'id_1'),
  ...Object.values(dialogPages).flat(),
].map((path) => new URL(path, 'http://localhost'));

it('every route of the application is in the list of pages', () => {
  const routes = named(read('app/router.tsx'), /\bpage\('([^']+)'/g);
  expect(routes.length).toBeGreaterThan(15);
  const isListed = (route: string): boolean => {
    const pattern = new RegExp(`^/portal${route === '/' ? '' : route.replaceAll(/\$\w+/g, '[^/]+')}$`);
    return listed.some(({ pathname }) => pattern.test(pathname));
  };
  expect(routes.filter((route) => !isListed(route))).toEqual([]);
});

it('every page in front of the portal is in the list of pages', () => {
  const pages = named(read('door/main.tsx'), /^ {2}'?([\w-]+)'?: (?:SignIn|lazyPage\()/gm);
  expect(pages.length).toBeGreaterThan(5);
  const isListed = (name: string): boolean =>
    openPages.some((path) => new RegExp(`^/portal/${name}(#|$)`).test(path));
  expect(pages.filter((name) => !isListed(name))).toEqual([]);
});

it('every part of an address that a page reads is in the list of pages', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.tsx'),
  );
  const names = files.flatMap((file) =>
    named(read(file), /useSearch\(.*\) as \{ ([^}]+) \}/g).flatMap((members) =>
      named(members, /(\w+)\?: string/g),
    ),
  );
  expect(names.length).toBeGreaterThan(5);
  const sent = new Set(listed.flatMap(({ searchParams }) => [...searchParams.keys()]));
  expect(names.filter((name) => !sent.has(name))).toEqual([]);
});
