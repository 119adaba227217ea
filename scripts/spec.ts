/** `npm run spec`: writes what is derived from the code and committed: openapi.json, docs/errors.md, and the sentences of MCP. */
import { writeFileSync } from 'node:fs';
import { families } from '../src/families/index.ts';
import { buildRegistry } from '../src/kernel/registry.ts';
import { sentencesText } from '../src/laws/own-sentences.ts';
import { errorsPage } from '../src/surfaces/openapi/errors-page.ts';
import { snapshotText } from '../src/surfaces/openapi/snapshot.ts';

const root = new URL('../', import.meta.url);
writeFileSync(new URL('openapi.json', root), snapshotText(buildRegistry(families)));
writeFileSync(new URL('docs/errors.md', root), errorsPage());
writeFileSync(new URL('src/surfaces/mcp/sentences.json', root), sentencesText());
console.log('Wrote openapi.json, docs/errors.md and src/surfaces/mcp/sentences.json.');
