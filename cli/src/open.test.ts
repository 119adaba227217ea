/** `hostplane open`: whatever is named, the address is that of a page that the portal has. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { createKey } from '../../src/testing/accounts.ts';
import { settle } from '../../src/testing/operations.ts';
import { pages } from './commands/open.ts';
import { Document } from './document/document.ts';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
let document: Document;
let portal: string;
beforeAll(async () => {
  site = await openSite();
  portal = `${site.url.replace('127.0.0.1', 'localhost')}/portal`;
  document = new Document((await (await fetch(`${site.url}/openapi.json`)).json()) as object);
});
afterAll(() => site.close());

const router = readFileSync(join(import.meta.dirname, '../../portal/src/app/router.tsx'), 'utf8');
const routes = [...router.matchAll(/\bpage\('([^']+)'/g)].map(([, path = '']) => path);

/** The page of the portal that shows the address, with the value of its parameter. */
function shownBy(address: string): { route: string; value: string } {
  const path = new URL(address).pathname.replace(/^\/portal/, '') || '/';
  const parts = path.split('/');
  const route = routes.find((each) => {
    const wanted = each.split('/');
    return (
      wanted.length === parts.length && wanted.every((part, i) => part.startsWith('$') || part === parts[i])
    );
  });
  return { route: route ?? `none for ${path}`, value: parts.at(-1) ?? '' };
}

async function expectPage(words: string): Promise<void> {
  const { code, out, err } = await site.line(`open ${words}`.trim());
  expect([words, code, err]).toEqual([words, 0, '']);
  expect(out.startsWith(portal)).toBe(true);
  const { route, value } = shownBy(out.trim());
  expect(routes, words).toContain(route);
  if (route.endsWith('/$operation')) expect(document.find(value)?.id, words).toBe(value);
}

describe('open', () => {
  it('knows pages of the portal', () => {
    expect(routes.length).toBeGreaterThan(10);
    expect(Object.values(pages).filter((path) => !routes.includes(path))).toEqual([]);
  });

  it.each([
    ['', ''],
    ['keys', '/api/keys'],
    ['security', '/me/security'],
    ['vm create', '/api/reference/createVm'],
    ['getVm', '/api/reference/getVm'],
    ['key_01jqzv9t5xe9rs5d3k8w4t6y0c', '/api/keys?key=key_01jqzv9t5xe9rs5d3k8w4t6y0c'],
    ['vm_01jqzv9t5xe9rs5d3k8w4t6y0c', '/api/explorer/getVm?id=vm_01jqzv9t5xe9rs5d3k8w4t6y0c'],
    ['wh_01jqzv9t5xe9rs5d3k8w4t6y0c', '/api/explorer/listWebhooks'],
    ['ip_01jqzv9t5xe9rs5d3k8w4t6y0c', '/api/explorer/getVm'],
  ])('%s prints the address %s', async (words, path) => {
    const { code, out } = await site.line(`open ${words}`.trim());
    expect([code, out]).toEqual([0, `${portal}${path}\n`]);
  });

  it('leads from every family, resource and command to a page that exists', async () => {
    const { operations } = document;
    const words = operations.flatMap(({ id, words: { family, resource, verb } }) => [
      id,
      family,
      `${family} ${resource}`,
      `${family} ${resource} ${verb}`,
    ]);
    for (const each of new Set([...Object.keys(pages), ...words])) await expectPage(each);
  });

  it('leads from the id of every kind of thing to a page that exists', async () => {
    const patterns = document.operations.flatMap(({ parameters }) =>
      parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ schema }) => document.schemas.plain(schema).pattern ?? ''),
    );
    const prefixes = new Set(patterns.flatMap((pattern) => pattern.match(/[a-z]+(?=_\[0-7\])/g) ?? []));
    prefixes.delete('op');
    expect(prefixes.size).toBeGreaterThan(8);
    for (const prefix of prefixes) await expectPage(`${prefix}_01jqzv9t5xe9rs5d3k8w4t6y0c`);
  });

  it('leads from the name of a resource to the call that reads it', async () => {
    const { out } = await site.line('placement-group create --name shelf --location fra1 --query id');
    const page = `${portal}/api/explorer/getPlacementGroup?id=${out.trim()}`;
    expect((await site.line('open shelf')).out).toBe(`${page}\n`);
    const { code, err } = await site.line('open shelv');
    expect([code, err]).toEqual([5, expect.stringContaining('Did you mean shelf?')]);
  });

  it('leads from an operation to the Explorer, and from one that waits for a decision to its page', async () => {
    const { db } = site.app.services;
    const { key } = await createKey(db, site.world.account, { approval: 'writes' });
    const asked = await site.line('placement-group create --name asked --location fra1', {
      env: { HOSTPLANE_API_KEY: key },
    });
    const [, approval = ''] = /--approval-id (op_\w+)/.exec(asked.err) ?? [];
    expect((await site.line(`open ${approval}`)).out).toBe(`${portal}/approvals/${approval}\n`);

    await site.line('vm create --name opened --location fra1 --plan flex-2-4 --source.image-id ubuntu-24.04');
    await settle(site.app);
    const { out } = await site.line('operation list --type vm.create --query [0].id');
    expect((await site.line(`open ${out.trim()}`)).out).toBe(
      `${portal}/api/explorer/getOperation?id=${out.trim()}\n`,
    );

    expect((await site.line(`open ${newId('operation')}`)).code).toBe(5);
  });

  it.each([
    [
      'a portal at another address',
      302,
      'https://portal.example.com/portal',
      'https://portal.example.com/portal/api/keys\n',
    ],
    ['no portal', 200, undefined, ''],
  ])('asks the server, which has %s', async (_, status, location, expected) => {
    const text = await (await fetch(`${site.url}/openapi.json`)).text();
    const server = createServer(({ url }, reply) => {
      if (url === '/') reply.writeHead(status, location === undefined ? {} : { location }).end();
      else reply.writeHead(200, { 'content-type': 'application/json' }).end(text);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, out, err } = await site.line('open keys', { env: { HOSTPLANE_URL: url } });
    server.closeAllConnections();
    server.close();
    expect([code, out]).toEqual([location === undefined ? 5 : 0, expected]);
    if (location === undefined) expect(err).toBe(`${url} has no portal. Ask your provider for it.\n`);
  });
});
