import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { problems } from '../../../kernel/problems/catalogue.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { ensurePortal } from '../../../testing/browser/portal.ts';
import { openExchange } from '../../http/exchange.ts';
import { createServer } from '../../http/server.ts';
import { Publication } from '../../openapi/publication.ts';
import { serveOpenapi } from '../../openapi/routes.ts';
import { servePortalFiles } from '../files.ts';

let t: TestApp;
let server: FastifyInstance;

beforeAll(async () => {
  await ensurePortal();
  t = await createTestApp();
  server = createServer(t.services);
  serveOpenapi(server, t.services, openExchange);
  servePortalFiles(server, t.services, openExchange);
});

afterAll(async () => {
  await server.close();
  await t.close();
});

const get = async (url: string): Promise<string> => {
  const { statusCode, body } = await server.inject({ url });
  expect([url, statusCode]).toEqual([url, 200]);
  return body;
};

const hashIn = (page: string): string | undefined => /Specification <code>([^<]+)</.exec(page)?.[1];

describe('the reference', () => {
  it('builds the document for the first page that needs it, not at the start', async () => {
    const built = vi.spyOn(Publication.prototype, 'document');
    const written = vi.spyOn(Publication.prototype, 'whole');
    const other = createServer(t.services);
    servePortalFiles(other, t.services, openExchange);
    await other.ready();
    expect((await other.inject({ url: '/portal/sign-in' })).statusCode).toBe(200);
    expect([built.mock.calls, written.mock.calls]).toEqual([[], []]);
    expect((await other.inject({ url: '/portal/api/reference' })).statusCode).toBe(200);
    expect(built).toHaveBeenCalled();
    vi.restoreAllMocks();
    await other.close();
  });

  it('shows in its samples where the API is for whoever reads them', async () => {
    const sampleAt = async (host: string): Promise<string | undefined> => {
      const { body } = await server.inject({ url: '/portal/api/reference/getWhoami', headers: { host } });
      return /curl (\S+)\/account\/v1\/whoami/.exec(body)?.[1];
    };
    expect(await sampleAt('localhost:9000')).toBe('http://localhost:9000');
    expect(await sampleAt('127.0.0.1:8081')).toBe('http://127.0.0.1:8081');
    // Any other name could be an attacker's.
    expect(await sampleAt('attacker.example')).toBe(t.services.baseUrl);
    expect(await sampleAt('localhost:9000')).toBe('http://localhost:9000');
  });

  it('has a page and a Markdown twin for every operation, with what is needed to call it', async () => {
    const { endpoints } = t.registry;
    for (const { id, method, path, permission, summary } of endpoints) {
      const page = await get(`/portal/api/reference/${id}`);
      const twin = await get(`/portal/api/reference/${id}.md`);
      for (const [text, tick] of [
        [page, '<code>'],
        [twin, '`'],
      ] as const) {
        expect([id, text.includes(path), text.includes(permission)]).toEqual([id, true, true]);
        expect([
          id,
          text.includes(`${tick}permission_denied`) || text.includes(`${tick}rate_limited`),
        ]).toEqual([id, true]);
      }
      expect(page).toContain(`class="ref-method is-${method.toLowerCase()}"`);
      expect(twin.startsWith(`# ${summary}`)).toBe(true);
      expect([id, /undefined|\[object/.exec(page)?.[0]]).toEqual([id, undefined]);
    }
  });

  it('lets the browser load the style before the scripts, because the content is there already', async () => {
    const page = await get('/portal/api/reference/getVm');
    const scripts = page.match(/<(?:script type="module"|link rel="modulepreload")[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((tag) => !tag.includes('fetchpriority="low"'))).toEqual([]);
  });

  it('shows one hash of the document everywhere: in each page, in the index and in the download', async () => {
    const { headers } = await server.inject({ url: '/openapi.json' });
    const hash = String(headers.etag).replaceAll('"', '');
    expect(hashIn(await get('/portal/api/reference'))).toBe(hash);
    expect(hashIn(await get('/portal/api/reference/getVm'))).toBe(hash);
    expect(JSON.parse(await get('/portal/api/operations.json'))).toMatchObject({ etag: hash });
  });

  it('lists every operation in llms.txt and in the index', async () => {
    const lists = [await get('/portal/llms.txt'), await get('/portal/api/operations.json')];
    for (const { id } of t.registry.endpoints)
      for (const list of lists) expect([id, list.includes(id)]).toEqual([id, true]);
  });

  it('has the JSON of each operation, self-contained', async () => {
    const part = JSON.parse(await get('/portal/api/operations/createVm.json')) as {
      paths: object;
      components: Record<string, Record<string, unknown>>;
    };
    expect(Object.keys(part.paths)).toEqual(['/flexible-vps/v1/vms']);
    const references = JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g);
    for (const [whole, section = '', name = ''] of references)
      expect([whole, part.components[section]?.[name] !== undefined]).toEqual([whole, true]);
  });

  it('describes every member of a body, with its limits and conditions', async () => {
    const page = await get('/portal/api/reference/createVm');
    for (const text of [
      'The slug of the location',
      'Only without <code>custom_size</code>',
      'A <code>slug</code> of <a class="link" href="/portal/api/reference/listVpsPlans"><code>listVpsPlans</code></a>',
      'type: image',
      'Cannot be changed later.',
      'Raises the bill',
    ])
      expect([text, page.includes(text)]).toEqual([text, true]);
    expect(await get('/portal/api/reference/deleteVm')).toContain('id="states"');
  });

  it('shows the machine in the answer of its creation, whose schema is put together of two', async () => {
    const page = await get('/portal/api/reference/createVm');
    expect(page).toContain('id="answer.202.initial_credentials.password"');
    expect(page).toContain('id="answer.202.primary_ipv4"');
    expect(await get('/portal/api/reference/createVm.md')).toMatch(/^- `primary_ipv4`/m);
  });

  it('has the operations of the family beside the article, with the own one marked', async () => {
    const page = await get('/portal/api/reference/createVm');
    const list = /<nav class="ref-list"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '';
    expect(list).toContain('<a href="/portal/api/reference/createVm" aria-current="page">');
    expect(list).toContain('<a href="/portal/api/reference/createVpsNetwork">');
    expect(list).not.toContain('getWhoami');
    expect(list.match(/aria-current/g)).toHaveLength(1);
  });

  it('has a page for each error code, with the operations that answer with it', async () => {
    const all = await get('/portal/api/reference/errors');
    for (const [code, { portalOnly }] of Object.entries(problems))
      expect([code, all.includes(`<code>${code}</code>`)]).toEqual([code, portalOnly !== true]);
    const page = await get('/portal/api/reference/errors/name_taken');
    expect(page).toContain(problems.name_taken.title);
    expect(page).toContain('href="/portal/api/reference/createVm"');
    expect(await get('/portal/api/reference/errors/rate_limited')).toContain('Every operation can answer');
    // The application says that there is no such page.
    expect(await get('/portal/api/reference/errors/nothing')).not.toContain('class="ref');
  });

  it('has samples without a key', async () => {
    const page = await get('/portal/api/reference/createVm');
    expect(page).toContain('$HOSTPLANE_API_KEY');
    expect(page).toContain('process.env.HOSTPLANE_API_KEY');
    expect(page).toContain('os.environ[');
    expect(page).toContain('hostplane vm create');
    expect(page).toContain('os.Getenv(');
    expect(page).toContain('data-language="Terraform"');
    expect(page).not.toMatch(/hpk1_\w{8}/);
  });
});
