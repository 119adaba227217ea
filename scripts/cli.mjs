// Bundles the customers' command line into one file without packages. `npm pack` in cli/ packs that file.
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hashFiles, listFiles, readBeginning } from './bundle.mjs';
import { install, root } from './install.mjs';

const bundle = join(root, 'cli', 'dist', 'hostplane.cjs');

/** Returns the path of the bundle. Builds it only if the sources have changed since the last build. */
export async function ensureCli() {
  if (!existsSync(join(root, 'cli', 'src'))) return bundle;
  install();
  const sources = listFiles('cli/src').filter((file) => !/\.test\.ts$|^cli\/src\/testing\//.test(file));
  const shared = ['package-lock.json', 'scripts/cli.mjs', 'cli/package.json', ...takenFromServer(sources)];
  const mark = `#!/usr/bin/env node\n// Made from sources ${hashFiles([...shared, ...sources])}.`;
  if (readBeginning(bundle, mark.length) === mark) return bundle;
  const esbuild = await import('esbuild');
  const draft = `${bundle}.${process.pid}`;
  await esbuild.build({
    entryPoints: [join(root, 'cli', 'src', 'main.ts')],
    outfile: draft,
    bundle: true,
    minify: true,
    platform: 'node',
    // A CommonJS file starts faster than a module, and loads packages of Node only where they are used.
    format: 'cjs',
    target: 'node20',
    // Optional parts of ws, which makes frames faster that a console never sends.
    external: ['bufferutil', 'utf-8-validate'],
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: mark },
    plugins: [computed(esbuild, /search\/words\/nouns\.ts$/)],
  });
  chmodSync(draft, 0o755);
  renameSync(draft, bundle);
  await esbuild.stop();
  return bundle;
}

/** Replaces a module by the values that it exports, so that the bundle does without what they are made from. */
const computed = (esbuild, filter) => ({
  name: 'computed',
  setup(build) {
    build.onLoad({ filter }, async ({ path }) => {
      const options = { entryPoints: [path], bundle: true, write: false, format: 'esm' };
      const [{ text }] = (await esbuild.build(options)).outputFiles;
      const values = await import(`data:text/javascript,${encodeURIComponent(text)}`);
      const lines = Object.entries(values).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      );
      return { contents: lines.join('\n') };
    });
  },
});

/** The files of the server that the sources import. They import nothing themselves, except files of the search. */
function takenFromServer(sources) {
  const texts = sources.map((file) => readFileSync(join(root, file), 'utf8'));
  const files = [...new Set(texts.flatMap((text) => text.match(/(?<=from '(?:\.\.\/)+)src\/[^']+/g) ?? []))];
  const isSearch = (file) => file.startsWith('src/search/');
  return files.some(isSearch)
    ? [...files.filter((file) => !isSearch(file)), ...listFiles('src/search')]
    : files;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await ensureCli();
  copyFileSync(join(root, 'LICENSE'), join(root, 'cli', 'LICENSE'));
}
