// Bundles src and its packages into one file, which starts several times faster than the sources.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { install, root } from './install.mjs';

const bundle = join(root, 'dist', 'hostplane.mjs');

/** Returns the path of the bundle. Builds it only if the sources have changed since the last build. */
export async function ensureBundle() {
  // An installation may consist of the bundle alone.
  if (!existsSync(join(root, 'src'))) return bundle;
  install();
  const mark = `// Made from sources ${hashSources()}.`;
  if (readBeginning(bundle, mark.length) === mark) return bundle;
  const started = Date.now();
  const esbuild = await import('esbuild');
  const draft = `${bundle}.${process.pid}`;
  await esbuild.build({
    entryPoints: [join(root, 'src', 'main.ts')],
    outfile: draft,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['pg-native', '@node-rs/argon2'],
    legalComments: 'none',
    // Node keeps the text of the bundle in memory, with two bytes for each character if a single one, as a dash in a
    // comment, is not Latin-1. Names stay, so that stack traces remain readable.
    minifyWhitespace: true,
    lineLimit: 160,
    logLevel: 'warning',
    // CommonJS packages still call `require`.
    banner: {
      js: `${mark}\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);`,
    },
  });
  renameSync(draft, bundle);
  // Otherwise the esbuild process would live as long as the server that starts next.
  await esbuild.stop();
  console.error(`Built ${relative(root, bundle)} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  return bundle;
}

function hashSources() {
  const sources = listFiles('src').filter((file) => !/\.test\.ts$|^src\/(testing|laws)\//.test(file));
  return hashFiles(['package-lock.json', 'scripts/bundle.mjs', ...sources]);
}

/** A hash of the files with these paths in the project. */
export function hashFiles(files) {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}

/** The paths of all files in a folder of the project. */
export function listFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

/** The first bytes of a file; undefined if there is none. */
export function readBeginning(path, length) {
  let file;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, 0);
    return bytes.toString('utf8');
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
