// `npm start`: everything that is missing is made first, then the server runs in this very process, so that
// signals reach it and its memory is all there is.
import { pathToFileURL } from 'node:url';
import { ensureBundle } from './bundle.mjs';

const bundle = await ensureBundle();
process.argv = [process.execPath, bundle, 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(bundle).href);
