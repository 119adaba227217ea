#!/usr/bin/env -S node --max-semi-space-size=32
import { pathToFileURL } from 'node:url';
import { ensureBundle } from '../scripts/bundle.mjs';
import { ensurePortal } from '../scripts/portal.mjs';

const bundle = await ensureBundle();
if (process.argv[2] === 'serve') await ensurePortal();
process.argv = [process.execPath, bundle, ...process.argv.slice(2)];
await import(pathToFileURL(bundle).href);
