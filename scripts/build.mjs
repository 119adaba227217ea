import { ensureBundle } from './bundle.mjs';
import { ensureCli } from './cli.mjs';
import { ensurePortal } from './portal.mjs';

await ensureBundle();
await ensureCli();
await ensurePortal();
