// `npm run bench`: bundles each contender like the product and runs it in its own process.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBundle } from './bundle.mjs';
import { root } from './install.mjs';
import { ensurePortal } from './portal.mjs';

const product = await ensureBundle();
await ensurePortal();
const folder = join(root, 'dist', 'bench');
mkdirSync(folder, { recursive: true });
const esbuild = await import('esbuild');
await esbuild.build({
  entryPoints: ['main', 'load', 'bare', 'raw', 'held', 'worker'].map((name) =>
    join(root, 'bench', `${name}.ts`),
  ),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['pg-native', '@node-rs/argon2', 'playwright-core'],
  logLevel: 'warning',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
await esbuild.stop();
// The bench builds its machine image from these files and expects them beside its program.
cpSync(join(root, 'src/testing/incus/guest'), join(folder, 'guest'), { recursive: true });

const env = { ...process.env, BENCH_ROOT: root, BENCH_PRODUCT: product };
const main = spawn(process.execPath, [join(folder, 'main.mjs'), ...process.argv.slice(2)], {
  env,
  stdio: 'inherit',
});
// Ctrl-C reaches the whole process group. The bench stops what it started, and this process waits for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => main.kill('SIGTERM'));
main.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
