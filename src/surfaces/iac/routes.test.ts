import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { openExchange } from '../http/exchange.ts';
import { createServer } from '../http/server.ts';
import { publicationOf } from '../openapi/publication.ts';
import { iacOf } from './files.ts';
import type { Part } from './parts.ts';
import { serveIac } from './routes.ts';

let test: TestApp;
let server: FastifyInstance;

beforeAll(async () => {
  test = await createTestApp();
  server = createServer(test.services);
  serveIac(server, test.services, openExchange);
});

afterAll(async () => {
  await server.close();
  await test.close();
});

const get = (url: string, headers: InjectOptions['headers'] = {}) =>
  server.inject({ url, headers, remoteAddress: '192.0.2.10' });

interface Listing {
  readonly specification_sha256: string;
  readonly archive: string;
  readonly parts: readonly Part[];
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256: string }[];
}

const hash = (): string => publicationOf(test.services).whole('json').etag.replaceAll('"', '');

it.each(['/iac', '/iac/'])('%s lists all files with the hash of the specification', async (url) => {
  const answer = await get(url);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': expect.stringContaining('application/json'),
    'cache-control': 'public, max-age=60',
    'access-control-allow-origin': '*',
    'x-request-id': expect.stringMatching(/^req_/),
  });
  const { specification_sha256, archive, files } = answer.json<Listing>();
  expect(specification_sha256).toBe(hash());
  expect(archive).toBe('/iac/hostplane-iac.tar.gz');
  expect(files.map(({ path }) => path)).toContain('terraform/modules/vm/main.tf');
});

it('serves each file with the listed size and hash, and 304 to a client that has it', async () => {
  const { files } = (await get('/iac/')).json<Listing>();
  for (const { path, size, sha256 } of files) {
    const answer = await get(`/iac/${path}`);
    expect([answer.statusCode, answer.rawPayload.length, answer.headers.etag]).toEqual([
      200,
      size,
      `"${sha256}"`,
    ]);
    expect(createHash('sha256').update(answer.rawPayload).digest('hex')).toBe(sha256);
    const again = await get(`/iac/${path}`, { 'if-none-match': `"${sha256}"` });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  }
});

it('lists the modules, the roles and the scenarios of both tools, each with its README', async () => {
  const { files, parts } = (await get('/iac/')).json<Listing>();
  const paths = files.map(({ path }) => path);
  expect(new Set(parts.map(({ tool, kind }) => `${tool} ${kind}`))).toEqual(
    new Set(['terraform module', 'terraform scenario', 'ansible role', 'ansible scenario']),
  );
  expect(parts.filter(({ path }) => !paths.includes(`${path}/README.md`))).toEqual([]);
});

it('writes the hash of the specification into every file', async () => {
  const { files } = iacOf(publicationOf(test.services).document(), hash());
  const texts = files.filter(({ path }) => /^terraform\/.*\.(tf|md)$/.test(path));
  expect(texts.filter(({ body }) => !body.includes(hash())).map(({ path }) => path)).toEqual([]);
});

it('makes the same bytes from the same document', () => {
  const [first, second] = [0, 1].map(() => iacOf(publicationOf(test.services).document(), hash()));
  expect(first?.files.map(({ sha256 }) => sha256)).toEqual(second?.files.map(({ sha256 }) => sha256));
});

it('packs all files into one archive, and each module into its own', async () => {
  const list = (body: Buffer): string[] =>
    execFileSync('tar', ['tz'], { input: body, encoding: 'utf8' }).trim().split('\n');
  const { files, archive, parts } = (await get('/iac/')).json<Listing>();
  expect(list((await get(archive)).rawPayload)).toEqual(files.map(({ path }) => path));
  for (const part of parts.filter((each) => each.archive !== null)) {
    const inside = files.filter(({ path }) => path.startsWith(`${part.path}/`));
    expect(list((await get(`/iac/${part.archive}`)).rawPayload)).toEqual(
      inside.map(({ path }) => path.slice(part.path.length + 1)),
    );
  }
});

it('names all parts with their files; the README of each has its inputs, outputs, permissions and way to import', async () => {
  const { files, parts } = (await get('/iac/')).json<Listing>();
  const kinds = parts.map(({ tool, kind }) => `${tool} ${kind}`);
  expect(new Set(kinds)).toEqual(
    new Set(['terraform scenario', 'terraform module', 'ansible scenario', 'ansible role']),
  );
  for (const { tool, path, permissions } of parts) {
    const own = files.filter((file) => file.path === path || file.path.startsWith(`${path}/`));
    expect(own, path).not.toEqual([]);
    const readme = own.find((file) => file.path.endsWith('README.md'));
    if (readme === undefined) continue;
    const text = (await get(`/iac/${readme.path}`)).body;
    expect(text, path).toContain(`/portal/api/keys?create=${permissions.join(',')})`);
    const chapters = [...text.matchAll(/^## (\w+)/gm)].map(([, word]) => word);
    expect(chapters, path).toEqual(
      expect.arrayContaining(['Inputs', 'Outputs', 'Permissions', tool === 'ansible' ? 'Adopt' : 'Import']),
    );
  }
});

it('404: a file that does not exist is refused with the URL of the list', async () => {
  const answer = await get('/iac/terraform/modules/cloud');
  expect(answer.statusCode).toBe(404);
  expect(answer.json<{ detail: string }>().detail).toContain('GET /iac/');
});

it('answers Terraform, which has to look at something, that a call without an operation has succeeded', async () => {
  const answer = await get('/iac/terraform/nothing-started', { accept: 'text/plain' });
  expect([answer.statusCode, answer.headers['operation-status']]).toEqual([200, 'succeeded']);
});
