/** Reads the source files of the project for the structural laws: path, length and imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Import {
  /** A path relative to the root of the project, or the name of a package. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** Relative to the root of the project, with forward slashes. */
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

const folders = ['src', 'bench', 'scripts', 'bin', 'cli/src', 'portal/src'];

export const sources: readonly SourceFile[] = folders
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
  .map((entry) => readSource(join(entry.parentPath, entry.name)))
  .sort((a, b) => (a.path < b.path ? -1 : 1));

/** The contract of a port counts as a test, because it is a test suite that the tests of the drivers run. */
export const isTest = ({ path }: Pick<SourceFile, 'path'>): boolean =>
  /(\.test|(^|[/.])fixture)\.tsx?$/.test(path) ||
  /^src\/(testing|laws|engines\/([^/]+\/)?contract)(\/|\.ts$)|^cli\/src\/testing\//.test(path);

/** The files of the product: everything in `src/` except tests and test support. */
export const shipped: readonly SourceFile[] = sources.filter(
  (file) => file.path.startsWith('src/') && !isTest(file),
);

/** Everything that people run: the server, the customers' command line and the portal. */
export const products: readonly SourceFile[] = sources.filter(
  (file) => /^(src|cli|portal)\//.test(file.path) && !isTest(file),
);
