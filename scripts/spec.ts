/** `npm run spec`: writes the committed parts of the specification, openapi.json and docs/errors.md. */
import { writeFileSync } from 'node:fs';
import { families } from '../src/families/index.ts';
import { buildRegistry } from '../src/kernel/registry.ts';
import { errorsPage } from '../src/surfaces/openapi/errors-page.ts';
import { snapshotText } from '../src/surfaces/openapi/snapshot.ts';

const root = new URL('../', import.meta.url);
writeFileSync(new URL('openapi.json', root), snapshotText(buildRegistry(families)));
writeFileSync(new URL('docs/errors.md', root), errorsPage());
console.log('Wrote openapi.json and docs/errors.md.');
