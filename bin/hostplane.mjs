#!/usr/bin/env -S node --max-semi-space-size=32
import { pathToFileURL } from 'node:url';
import { ensureBundle } from '../scripts/bundle.mjs';

const bundle = await ensureBundle();
process.argv = [process.execPath, bundle, ...process.argv.slice(2)];
await import(pathToFileURL(bundle).href);
