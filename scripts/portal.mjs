// Builds the portal (the browser application in portal/) into dist/portal, compressed in advance.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { install, root } from './install.mjs';

const folder = join(root, 'dist', 'portal');

/** Returns the folder of the built portal. Builds it only if its sources have changed since the last build. */
export async function ensurePortal() {
  // An installation may consist of the bundle and the built portal alone.
  if (!existsSync(join(root, 'portal'))) return folder;
  install();
  const mark = hashSources();
  if (readMark() === mark) return folder;
  const started = Date.now();
  const draft = `${folder}.${process.pid}`;
  await runVite(draft);
  for (const file of listFiles(draft)) compress(join(draft, file));
  writeFileSync(join(draft, 'made-from'), mark);
  replaceBy(draft, mark);
  console.error(`Built ${relative(root, folder)} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  return folder;
}

/** A process of its own: NODE_ENV decides which React is built, and here it may be set for something else. */
async function runVite(outDir) {
  const args = [
    'build',
    '--config',
    join(root, 'portal', 'vite.config.ts'),
    '--outDir',
    outDir,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ];
  const child = spawn(process.execPath, [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), ...args], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('The portal could not be built. The lines above show the reason.');
}

/** Another process may have built the same at the same time; then its result stays. */
function replaceBy(draft, mark) {
  const old = `${draft}.old`;
  try {
    if (readMark() !== mark) {
      if (existsSync(folder)) renameSync(folder, old);
      renameSync(draft, folder);
    }
  } catch (error) {
    if (readMark() !== mark) throw error;
  } finally {
    for (const path of [draft, old]) rmSync(path, { recursive: true, force: true });
  }
}

function compress(file) {
  if (!/\.(js|css|html|svg|json)$/.test(file)) return;
  const text = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
  writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
}

function readMark() {
  const file = join(folder, 'made-from');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function hashSources() {
  const hash = createHash('sha256');
  const sources = listFiles(join(root, 'portal')).map((file) => `portal/${file}`);
  // The one file that the portal shares with the server.
  sources.push('src/surfaces/mcp/setup.ts');
  for (const file of ['package-lock.json', 'scripts/portal.mjs', ...sources.sort()])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 32);
}

function listFiles(at, below = '') {
  return readdirSync(join(at, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? listFiles(at, path) : [path];
  });
}
