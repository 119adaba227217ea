import { ensureBundle } from './bundle.mjs';
import { ensurePortal } from './portal.mjs';

await ensureBundle();
await ensurePortal();
