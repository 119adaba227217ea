// `npm start`: installs and builds what is missing, then runs the server in this same process, so that
// signals reach it and no second process uses memory.
import { pathToFileURL } from 'node:url';
import { ensureBundle } from './bundle.mjs';
import { ensureCli } from './cli.mjs';
import { ensurePortal } from './portal.mjs';

const bundle = await ensureBundle();
await ensurePortal();
// Customers install it from the server.
await ensureCli();
process.argv = [process.execPath, bundle, 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(bundle).href);
