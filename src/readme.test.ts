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
function commandsOf(page: string, chapter: string): string {
  const text = page.split(`## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]).join('\n');
}

async function paste(commands: string): Promise<string> {
  const script = commands.replace('hpk1_…', server.apiKey ?? '').replace('http://127.0.0.1:8080', server.url);
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    cwd: root,
    env: { ...process.env, HOSTPLANE_DATA: join(temporary, 'data') },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

function expectInOrder(text: string, expected: readonly string[]): void {
  let from = 0;
  for (const part of expected) {
    const at = text.indexOf(part, from);
    expect([part, at >= from]).toEqual([part, true]);
    from = at;
  }
}

describe('the README', () => {
  it('has a tour that does what it says, pasted as it stands', async () => {
    const stdout = await paste(commandsOf(readme, 'Three minutes with curl'));
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
      '"action":"block_new_cost"',
      '"type":"api_key.revoked"',
      '"openapi":"3.1.0"',
      'openapi: "3.1.0"',
    ];
    expectInOrder(stdout, expected);
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

describe('the page about approvals', () => {
  it('can be tried as it stands', async () => {
    const page = readFileSync(join(root, 'docs/approvals.md'), 'utf8');
    expectInOrder(await paste(commandsOf(page, 'Try it')), [
      '"name":"lab"',
      '"code":"approval_required"',
      'DELETE /account/v1/budgets/lab',
      'waiting for a decision',
      'delete budget lab',
      'approved, not used yet',
      '"status":"succeeded"',
      '204',
      '"approval_operation_id":"op_',
    ]);
  });
});
