import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInOrder, paste, stepsOf } from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Each command of the operator starts a process, which takes seconds on a busy machine. */
const TIMEOUT_MS = 300_000;

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

async function pasteChapter(page: string, wanted: string): Promise<string> {
  const steps = stepsOf(page).filter(({ chapter }) => chapter === wanted);
  return (await paste({ server, folder: join(temporary, 'data') }, steps)).join('');
}

describe('the README', () => {
  it(
    'has a tour whose commands print what it shows',
    async () => {
      const stdout = await pasteChapter(readme, 'Three minutes with curl');
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
    },
    TIMEOUT_MS,
  );

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
  it('has commands that work as shown', async () => {
    const page = readFileSync(join(root, 'docs/approvals.md'), 'utf8');
    expectInOrder(await pasteChapter(page, 'Try it'), [
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

  it('locks a budget as described', async () => {
    const page = readFileSync(join(root, 'docs/approvals.md'), 'utf8');
    expectInOrder(await pasteChapter(page, 'Budgets that an agent cannot lift'), [
      '40.00 EUR a month',
      'locked',
      'yes',
      '60.00 EUR a month',
      'locked',
      'yes',
      'locked',
      'no',
    ]);
  });
});
