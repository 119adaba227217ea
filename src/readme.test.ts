import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

let temporary: string;
let server: ServerProcess;

beforeAll(async () => {
  temporary = await makeTemporaryFolder();
  server = await startServerOrFail(join(temporary, 'data'));
});
afterAll(async () => {
  await server.end('SIGTERM');
  await removeTemporaryFolder(temporary);
});

/** The commands of a chapter, as somebody would paste them. */
function commandsOf(chapter: string): string {
  const text = readme.split(`## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]).join('\n');
}

describe('the README', () => {
  it('has a tour that does what it says, pasted as it stands', async () => {
    const script = commandsOf('Three minutes with curl')
      .replace('hpk1_…', server.apiKey ?? '')
      .replace('http://127.0.0.1:8080', server.url);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
      cwd: root,
      env: { ...process.env, HOSTPLANE_DATA: join(temporary, 'data') },
      maxBuffer: 64 * 1024 * 1024,
    });
    const expected = [
      '"effective_permissions"',
      '"operation_id":"listMyApis"',
      '"monthly":"19.60"',
      '"code":"permission_denied"',
      '"required_permission":"account:usage:read"',
      '"dropped":0',
      '"dry_run":true',
      '"status":"revoked"',
      '"code":"api_key_revoked"',
      '"action":"revokeApiKey"',
      '"openapi":"3.1.0"',
      'openapi: "3.1.0"',
    ];
    let from = 0;
    for (const text of expected) {
      const at = stdout.indexOf(text, from);
      expect([text, at >= from]).toEqual([text, true]);
      from = at;
    }
  });

  it('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(5);
    for (const link of links)
      expect([link, readFileSync(join(root, link.replace(/\/$/, '/README.md'))).length > 0]).toEqual([
        link,
        true,
      ]);
  });
});
