/**
 * Chooses the test files of a run by what they import, so that no list has to be kept by hand. `npm test` leaves out the
 * files that need other programs or take long; `npm test -- --affected` takes those that a change can break.
 */
import { basename, dirname } from 'node:path';

/** A source file, as `src/laws/sources.ts` reads it. */
interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly { readonly target: string; readonly isTypeOnly: boolean }[];
}

interface Group {
  /** Completes "Left out: ". */
  readonly what: string;
  /** The modules whose users belong to the group. */
  readonly uses?: RegExp;
  /** What the text of a file of the group names, if it starts a program that it does not import. */
  readonly names?: RegExp;
}

const BROWSER = 'the portal in a browser';
const groups: readonly Group[] = [
  { what: 'real engines (Incus, LXD, OVN, Ceph)', uses: /^src\/testing\/(incus\/|ceph\.ts)/ },
  { what: BROWSER, uses: /^src\/testing\/browser\// },
  { what: 'Terraform modules and Ansible roles', uses: /^src\/testing\/(terraform\/|ansible\.ts)/ },
  {
    what: 'processes that are started, killed and stopped',
    uses: /^src\/testing\/(api-processes|database-holder|faketime|killed-workers|pooler|server-process|tour|worker-process)\.ts/,
  },
  { what: 'the commands that run the tests', names: /'scripts\/(run-tests|interruptible)\.mjs'/ },
];

const isTestFile = ({ path }: Source): boolean => path.endsWith('.test.ts');
const isLong = ({ path }: Source): boolean => path.endsWith('.long.test.ts');
const isSmoke = ({ path }: Source): boolean => path.endsWith('.smoke.test.ts');
const FAMILIES = 'src/families/';
const isOfFamily = ({ path }: Source): boolean => path.startsWith(FAMILIES);
const isLaw = ({ path }: Source): boolean => path.startsWith('src/laws/');
const startsApp = ({ text }: Source): boolean => /\b(createWorld|createTestApp)\(/.test(text);
/** Laws that read files which they do not import. */
const readsFiles = ({ imports, text }: Source): boolean =>
  /\b(readFileSync|readFile|readdirSync|readdir)\(/.test(text) ||
  imports.some(({ target }) => target === 'src/laws/sources.ts');
const callsEndpoints = ({ imports }: Source): boolean =>
  imports.some(({ target }) => target === 'src/laws/walk.ts');
const groupOf = ({ imports, text }: Source): Group | undefined =>
  groups.find(
    ({ uses, names }) =>
      names?.test(text) || imports.some(({ target, isTypeOnly }) => !isTypeOnly && uses?.test(target)),
  );

export interface Choice {
  readonly files: readonly string[];
  readonly leftOut: readonly { readonly what: string; readonly files: number }[];
}

/** Everything that needs nothing outside the checkout, and the smoke tests of the rest. */
export function chooseForEverybody(sources: readonly Source[]): Choice {
  const tests = sources.filter((source) => isTestFile(source) && !isLong(source));
  const isChosen = (source: Source): boolean => isSmoke(source) || groupOf(source) === undefined;
  return {
    files: tests.filter(isChosen).map(({ path }) => path),
    leftOut: groups.map((group) => ({
      what: group.what,
      files: tests.filter((source) => !isChosen(source) && groupOf(source) === group).length,
    })),
  };
}

/** This file imports all families, for the whole app. Its users are not about one of them; the laws are about each. */
const ALL_FAMILIES = 'src/families/index.ts';
/** What reaches the app of the tests otherwise than over a family can change every endpoint. */
const APP = 'src/testing/app.ts';
/** A change of one of these can break anything. */
const EVERYTHING = /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts)$/;

/** Whether the text names a file that nobody imports, such as a page of the documentation. */
const names = ({ text }: Source, path: string): boolean =>
  !/\.tsx?$/.test(path) && text.includes(basename(path));

/** Laws load the fixtures of all families by their file names, for the endpoints beside them. */
const isBesideFixture = (path: string, fixture: string): boolean =>
  basename(fixture) === 'fixture.ts' && dirname(path) === dirname(fixture) && !path.endsWith('.test.ts');

/** The changed files and all that import them, also over other files. */
function closureOf(changed: readonly string[], sources: readonly Source[]): Set<string> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of sources)
    for (const { target, isTypeOnly } of imports)
      if (!isTypeOnly) importers.set(target, [...(importers.get(target) ?? []), path]);
  const readers = changed.flatMap((path) =>
    sources.filter((source) => names(source, path) || isBesideFixture(source.path, path)),
  );
  const found = new Set([...changed, ...readers.map(({ path }) => path)]);
  // A set also yields what is added while it is walked through.
  for (const path of found)
    for (const importer of importers.get(path) ?? []) if (importer !== ALL_FAMILIES) found.add(importer);
  return found;
}

/** An endpoint or a kind of operations. */
export interface Tried {
  readonly name: string;
  readonly family: string;
  /** The files that define it, if the caller knows them. */
  readonly files?: readonly string[] | undefined;
}

/** By name: the files that define it. A name that no file has may be defined by any file of its family. */
function definitionsOf(tried: readonly Tried[], sources: readonly Source[]): Map<string, readonly string[]> {
  const shipped = sources.filter((source) => isOfFamily(source) && !isTestFile(source));
  const found = new Map<string, string[]>();
  for (const { path, text } of shipped)
    for (const [, name = ''] of text.matchAll(/\b(?:id|type): '([\w.]+)'/g))
      found.set(name, [...(found.get(name) ?? []), path]);
  const ofFamily = ({ family }: Tried): string[] =>
    shipped.map(({ path }) => path).filter((path) => path.startsWith(`${FAMILIES}${family}/`));
  const own = ({ name, family, files }: Tried): readonly string[] =>
    files ?? (found.get(name) ?? []).filter((path) => path.startsWith(`${FAMILIES}${family}/`));
  return new Map(tried.map((each) => [each.name, own(each).length > 0 ? own(each) : ofFamily(each)]));
}

export interface AffectedChoice {
  readonly files: readonly string[];
  /** The names of the endpoints and kinds that the laws try; null for all. */
  readonly names: readonly string[] | null;
}

/** The tests that a change can break, and the laws that only read files or records, which are quick. */
export function chooseAffected(
  changed: readonly string[],
  sources: readonly Source[],
  tried: readonly Tried[],
): AffectedChoice {
  const tests = sources.filter((source) => isTestFile(source) && !isLong(source));
  if (changed.some((path) => EVERYTHING.test(path)))
    return { files: tests.map(({ path }) => path), names: null };
  const closure = closureOf(changed, sources);
  const definitions = definitionsOf(tried, sources);
  const changedIn = ({ name }: Tried): string[] =>
    (definitions.get(name) ?? []).filter((path) => closure.has(path));
  const affected = tried.filter((each) => changedIn(each).length > 0);
  const folders = [...new Set(affected.flatMap(changedIn).map((path) => `${dirname(path)}/`))];
  const isPortal = changed.some((path) => path.startsWith('portal/'));
  const isChosen = (source: Source): boolean => {
    const group = groupOf(source);
    if (closure.has(source.path) || (isPortal && group?.what === BROWSER)) return true;
    if (group !== undefined) return false;
    if (isLaw(source) && affected.length === 0) return !startsApp(source) && readsFiles(source);
    if (isLaw(source)) return !startsApp(source) || callsEndpoints(source);
    return folders.some((folder) => source.path.startsWith(folder));
  };
  const isEverywhere = closure.has(APP) || affected.length === 0;
  return {
    files: tests.filter(isChosen).map(({ path }) => path),
    names: isEverywhere ? null : affected.map(({ name }) => name),
  };
}
