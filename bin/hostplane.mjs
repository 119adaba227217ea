#!/usr/bin/env -S node --max-semi-space-size=32
// The program of a checkout: `admin` is the server's, everything else is the customers' command line.
import { pathToFileURL } from 'node:url';

const [first, ...rest] = process.argv.slice(2);
const program = await (first === 'admin' ? serverProgram() : clientProgram());
process.argv = [process.execPath, program, ...(first === 'admin' ? rest : process.argv.slice(2))];
await import(pathToFileURL(program).href);

async function serverProgram() {
  const { ensureBundle } = await import('../scripts/bundle.mjs');
  const bundle = await ensureBundle();
  if (rest[0] !== 'serve') return bundle;
  const { ensurePortal } = await import('../scripts/portal.mjs');
  await ensurePortal();
  // Customers install it from the server.
  await clientProgram();
  return bundle;
}

async function clientProgram() {
  const { ensureCli } = await import('../scripts/cli.mjs');
  return ensureCli();
}
