/** SIGHUP to real processes: they read the file and the certificates again, and go on. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const PROGRAM = fileURLToPath(new URL('../bin/hostplane.mjs', import.meta.url));
const PATIENCE = { timeout: 120_000 };

let folder: string;
let file: string;
let server: ServerProcess;

const SMALL = readFileSync(new URL('./testing/fixtures/small-provider.yaml', import.meta.url), 'utf8');

const text = (name: string, more: Record<string, string> = {}): string => `
${SMALL.replace('name: Small\n', `name: ${name}\n`)}
server: { tls: { certificate: tls.crt, key: tls.key }, log_level: ${more['level'] ?? 'info'} }
database: { pool_size: ${more['pool'] ?? '10'} }
`;

function makeCertificate(): void {
  const names = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '9'];
  const made = spawnSync('openssl', ['req', ...kind, '-subj', '/CN=localhost', ...names]);
  if (made.status !== 0) throw new Error(String(made.stderr));
}

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  file = join(folder, 'hostplane.yaml');
  makeCertificate();
  await writeFile(file, text('First'));
  server = await startServerOrFail(join(folder, 'data'), { HOSTPLANE_CONFIG: file });
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await removeTemporaryFolder(folder);
});

/** The certificate that the server shows, and the name of the provider in its specification. */
function look(): Promise<{ certificate: string; name: string }> {
  return new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, agent: false };
    request(`${server.url}/openapi.json`, options, (response) => {
      const certificate = (response.socket as TLSSocket).getPeerCertificate().fingerprint256;
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => {
        const { info } = JSON.parse(body) as { info: { contact: { name: string } } };
        resolve({ certificate, name: info.contact.name });
      });
    })
      .on('error', reject)
      .end();
  });
}

const linesOf = (output: string, words: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(words))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Sends SIGHUP and waits for one more line with these words in the log. */
async function hangUp(words: string): Promise<Record<string, unknown>> {
  const before = linesOf(server.output(), words).length;
  process.kill(server.pid, 'SIGHUP');
  await vi.waitFor(() => expect(linesOf(server.output(), words)).toHaveLength(before + 1), PATIENCE);
  return linesOf(server.output(), words).at(-1) ?? {};
}

it('a server reloads the file and the certificate, names what needs a restart, and keeps both if they are invalid', async () => {
  const first = await look();
  expect(first.name).toBe('First');

  makeCertificate();
  await writeFile(file, text('Second', { level: 'debug', pool: '11' }));
  expect(await hangUp('needs a restart')).toMatchObject({ paths: ['database.pool_size'] });
  expect(linesOf(server.output(), 'was reloaded')).toMatchObject([
    { changed: ['provider.name', 'server.log_level'], certificate_valid_until: expect.any(String) },
  ]);
  const second = await look();
  expect(second.name).toBe('Second');
  expect(second.certificate).not.toBe(first.certificate);

  await writeFile(file, text('Third').replace('country: DE', 'contry: DE'));
  expect(await hangUp('not reloaded')).toMatchObject({
    level: 'error',
    faults: expect.arrayContaining([expect.stringContaining('/provider/contry')]),
  });
  expect(await look()).toEqual(second);

  await writeFile(file, text('Fourth'));
  await writeFile(join(folder, 'tls.key'), 'no key');
  expect(await hangUp('not reloaded')).toMatchObject({ faults: [expect.stringContaining('/server/tls')] });
  expect(await look()).toEqual(second);
});

it('a worker reloads the file and stops gracefully', async () => {
  makeCertificate();
  await writeFile(file, text('Fifth'));
  const worker = spawn(process.execPath, [PROGRAM, 'admin', 'worker'], {
    env: { ...process.env, HOSTPLANE_CONFIG: file, HOSTPLANE_DATA: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  try {
    await vi.waitFor(() => expect(output).toContain('Ctrl-C stops it'), PATIENCE);
    await writeFile(file, text('Fifth', { level: 'warn' }));
    worker.kill('SIGHUP');
    await vi.waitFor(() => expect(output).toContain('the configuration was reloaded'), PATIENCE);
    worker.kill('SIGTERM');
    expect(await once(worker, 'exit')).toEqual([0, null]);
  } finally {
    if (worker.exitCode === null) {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
  }
});

it('a reloaded server drains and exits with 0', async () => {
  expect(await server.end('SIGTERM')).toBe(0);
});
