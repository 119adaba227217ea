/** The files of the project as the structural laws see them: where they stand, how long they are, what they import. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Import {
  /** From the root of the project on, or the name of a package. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** From the root of the project on, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

const IMPORT =
  /^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

function readImports(path: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, from, bare, dynamic]) => {
    const name = from ?? bare ?? dynamic ?? '';
    const target = name.startsWith('.') ? normalize(join(dirname(path), name)).replaceAll(sep, '/') : name;
    return { target, isTypeOnly: type !== undefined };
  });
}

function readSource(file: string): SourceFile {
  const path = relative(ROOT, file).replaceAll(sep, '/');
  const text = readFileSync(file, 'utf8');
  return { path, text, lines: text.trimEnd().split('\n').length, imports: readImports(path, text) };
}

const folders = ['src', 'bench', 'scripts', 'bin'];

export const sources: readonly SourceFile[] = folders
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
  .map((entry) => readSource(join(entry.parentPath, entry.name)))
  .sort((a, b) => (a.path < b.path ? -1 : 1));

/** Contract suites are run by the tests of drivers, so a contract folder, and its frame, count as tests. */
export const isTest = ({ path }: Pick<SourceFile, 'path'>): boolean =>
  /(\.test|(^|[/.])fixture)\.ts$/.test(path) ||
  /^src\/(testing|laws|engines\/([^/]+\/)?contract)(\/|\.ts$)/.test(path);

/** What users get: everything under `src/` that is not there to try the rest. */
export const shipped: readonly SourceFile[] = sources.filter(
  (file) => file.path.startsWith('src/') && !isTest(file),
);
