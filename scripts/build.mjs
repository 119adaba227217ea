import { ensureBundle } from './bundle.mjs';

await ensureBundle();
