import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Resolve } from '../../../kernel/net/egress.ts';
import { Egress } from '../../../kernel/net/egress.ts';
import { tarEnd, tarHeader, tarPadding } from '../../../kernel/tar.ts';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { cancelled, ended, settle } from '../../../testing/operations.ts';
import {
  type Answering,
  createReceiver,
  type Receiver,
  receiverCertificate,
  withStatus,
} from '../../../testing/receiver.ts';

const GB = 1024 ** 3;
const SIGNATURE = 'X-Signature=verysecret0123456789';
const settings = { allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate };

let t: TestApp;
let receiver: Receiver;
let serial = 0;

beforeAll(async () => {
  t = await createTestApp({
    provider: (config) => ({ ...config, egress: { ...config.egress, ...settings, addresses: [] } }),
  });
  receiver = await createReceiver();
});
afterEach(() => receiver.answer(withStatus(204)));
afterAll(async () => {
  await receiver.close();
  await t.close();
});

async function createHome() {
  const account = await createAccount(t.services.db);
  const { key } = await createKey(t.services.db, account);
  const create = (source: object, name = `image-${++serial}`) =>
    t.call({
      method: 'POST',
      url: '/flexible-vps/v1/images',
      key,
      payload: { name, source: { type: 'url', architecture: 'amd64', ...source } },
    });
  const read = async (id: string) => (await t.call({ url: `/flexible-vps/v1/images/${id}`, key })).json();
  /** Creates the image, runs all due operations, and reads the image. */
  const imported = async (source: object) => {
    const answer = await create(source);
    expect([answer.statusCode, answer.body]).toEqual([202, expect.anything()]);
    await settle(t);
    return read(answer.json().id);
  };
  return { account, key, create, read, imported };
}

function qcow2(virtualGb: number, change: (head: Buffer) => void = () => undefined): Buffer {
  const bytes = Buffer.alloc(4096);
  bytes.write('QFI\xfb', 'latin1');
  bytes.writeUInt32BE(3, 4);
  bytes.writeBigUInt64BE(BigInt(virtualGb * GB), 24);
  change(bytes);
  return bytes;
}

function vmdk(kind: string): Buffer {
  const bytes = Buffer.alloc(2048);
  bytes.write('KDMV', 'latin1');
  bytes.writeBigUInt64LE(BigInt((3 * GB) / 512), 12);
  bytes.writeBigUInt64LE(1n, 28);
  bytes.writeBigUInt64LE(2n, 36);
  bytes.write(`# Disk DescriptorFile\ncreateType="${kind}"\n`, 512, 'latin1');
  return bytes;
}

/** The output of these programs for `qcow2(7)`, in Base64. */
const packed = {
  xz: '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4A//ACZdACiRhVzYhNkcYk//oNwM01Dkyj+w4t9iqqzZWl7xCaXyTTcjGPxCAAAAp3qfrU0ouj4AAUKAIAAAABZgEZCxxGf7AgAAAAAEWVo=',
  zstd: 'KLUv/QRorQAAYFFGSfsAAAADAAHAAAIA3wf+8MAR9t6dAg==',
};

const tarball = (): Buffer =>
  gzipSync(
    Buffer.concat([
      tarHeader('metadata.yaml', 20),
      Buffer.from('architecture: x86_64'),
      tarPadding(20),
      tarHeader('rootfs/etc/hostname', 0),
      tarEnd,
    ]),
  );

function raw(): Buffer {
  const bytes = Buffer.alloc(8192);
  bytes.writeUInt16BE(0x55aa, 510);
  return bytes;
}

const serving =
  (bytes: Buffer): Answering =>
  (response) =>
    void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
const here = (path = '/disk.qcow2'): string => `https://localhost:${receiver.port}${path}?${SIGNATURE}`;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('an import from a URL', () => {
  it('202: follows redirects, stores the image in every location, and does not keep the query of the URL', async () => {
    const { account, key, create, read } = await createHome();
    const bytes = qcow2(5);
    receiver.answer((response, { path }) =>
      path.startsWith('/disk')
        ? void response.writeHead(302, { location: `/final.img?${SIGNATURE}` }).end()
        : serving(bytes)(response, undefined as never),
    );
    const declared = { os: { distribution: 'debian' }, architecture: 'amd64', boot_mode: 'bios' };
    const answer = await create({ url: here(), sha256: sha256(bytes), ...declared });
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({
      kind: 'custom',
      status: 'creating',
      progress_percent: 0,
      source: { type: 'url', id: null, url: `https://localhost:${receiver.port}/disk.qcow2` },
      operation: { type: 'image.create', status: 'queued', cancellable: true },
    });
    await settle(t);
    const { id } = answer.json();
    const image = await read(id);
    expect(image).toMatchObject({
      status: 'available',
      progress_percent: null,
      failure: null,
      operation: null,
      min_disk_gb: 5,
      size_bytes: 4096,
      sha256: sha256(bytes),
      ...declared,
      os: { family: 'linux', distribution: 'debian', version: '' },
    });
    expect(image.locations.sort()).toEqual(['ams1', 'fra1', 'hel1']);
    for (const engine of t.services.compute.all)
      expect(await engine.observeImage({ account: account.id, id })).toMatchObject({ state: 'available' });
    expect(receiver.received.map(({ headers }) => headers['user-agent'])).toContain('hostplane-import');

    const events = (await t.call({ url: '/account/v1/events', key })).body;
    expect(events).toContain('image.available');
    const dump = await t.services.db.selectFrom('vps_images').selectAll().where('id', '=', id).execute();
    const operations = await t.services.db.selectFrom('operations').selectAll().execute();
    const audit = await t.services.db.selectFrom('audit_entries').selectAll().execute();
    const all = JSON.stringify([answer.body, image, events, dump, operations, audit, t.logged]);
    expect(all).not.toContain('verysecret');
    const [resource] = (await t.call({ url: `/account/v1/resources?ids=${id}`, key })).json().data;
    expect(resource).toMatchObject({ type: 'image', status: 'available', price: { currency: 'EUR' } });
  });

  it('shows how many bytes have arrived, in the image and in its operation', async () => {
    const { key, create, read } = await createHome();
    const bytes = qcow2(5);
    let finish = (): void => undefined;
    receiver.answer((response) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, bytes.length / 2));
      finish = () => void response.end(bytes.subarray(bytes.length / 2));
    });
    const { id, operation } = (await create({ url: here() })).json();
    const readOperation = async () =>
      (await t.call({ url: `/account/v1/operations/${operation.id}`, key })).json();
    expect(await readOperation()).toMatchObject({ progress_percent: null });
    const settled = settle(t);
    await expect.poll(async () => (await readOperation()).progress_percent).toBe(20);
    expect(await read(id)).toMatchObject({ status: 'creating', progress_percent: 40 });
    finish();
    await settled;
    expect(await readOperation()).toMatchObject({ status: 'succeeded', progress_percent: 100 });
  });

  it('detects the format from the content: gzip, raw or vmdk', async () => {
    const { imported } = await createHome();
    receiver.answer(serving(gzipSync(qcow2(7))));
    expect(await imported({ url: here() })).toMatchObject({ status: 'available', min_disk_gb: 7 });
    receiver.answer(serving(raw()));
    expect(await imported({ url: here('/any.name') })).toMatchObject({ status: 'available', min_disk_gb: 1 });
    receiver.answer(serving(vmdk('streamOptimized')));
    expect(await imported({ url: here(), format: 'vmdk' })).toMatchObject({
      status: 'available',
      min_disk_gb: 3,
    });
  });

  it.each(Object.entries(packed))(
    'detects the format from the content: packed with %s',
    async (program, text) => {
      const { imported } = await createHome();
      const bytes = Buffer.from(text, 'base64');
      receiver.answer(serving(bytes));
      const image = await imported({ url: here(), format: 'qcow2', sha256: sha256(bytes) });
      // Without the program, the import fails and says what to do instead.
      const isHere = spawnSync(program, ['--version']).error === undefined;
      const missing = { code: 'unsupported_format', detail: expect.stringContaining('not installed here') };
      expect(image).toMatchObject(
        isHere ? { status: 'available', min_disk_gb: 7 } : { status: 'failed', failure: missing },
      );
    },
  );

  it('names the missing program if an archive cannot be unpacked', async () => {
    const { imported } = await createHome();
    const path = process.env['PATH'];
    process.env['PATH'] = tmpdir();
    try {
      receiver.answer(serving(Buffer.from(packed.xz, 'base64')));
      const { failure } = await imported({ url: here() });
      expect(failure).toMatchObject({ code: 'unsupported_format' });
      expect(failure.detail).toContain('not installed here');
    } finally {
      process.env['PATH'] = path;
    }
  });

  let redirects = 0;
  const sixRedirects: Answering = (response, received) =>
    redirects++ < 6
      ? void response.writeHead(302, { location: here('/again') }).end()
      : serving(qcow2(1))(response, received);
  const to = (location: string): Answering => withStatus(307, { location });
  const failures: [string, Answering, object, string][] = [
    ['a status other than 200', withStatus(403), {}, 'http_status'],
    ['another checksum', serving(qcow2(1)), { sha256: '0'.repeat(64) }, 'checksum_mismatch'],
    ['a web page', serving(Buffer.from('<html>Please sign in</html>'.repeat(50))), {}, 'unsupported_format'],
    ['another format than said', serving(qcow2(1)), { format: 'raw' }, 'unsupported_format'],
    ['broken xz', serving(Buffer.from(packed.xz, 'base64').subarray(0, 60)), {}, 'unsupported_format'],
    ['broken zstd', serving(Buffer.from('28b52ffd0000', 'hex')), {}, 'unsupported_format'],
    ['broken gzip', serving(gzipSync(qcow2(1)).subarray(0, 30)), {}, 'unsupported_format'],
    ['a backing file', serving(qcow2(1, (b) => b.writeBigUInt64BE(512n, 8))), {}, 'unsupported_format'],
    ['an external data file', serving(qcow2(1, (b) => b.writeBigUInt64BE(4n, 72))), {}, 'unsupported_format'],
    ['a vmdk of several files', serving(vmdk('monolithicFlat')), {}, 'unsupported_format'],
    ['a descriptor', serving(Buffer.from('# Disk DescriptorFile\n'.repeat(50))), {}, 'unsupported_format'],
    ['a container image where there are only disks', serving(tarball()), {}, 'unsupported_format'],
    ['a disk of 2001 GB', serving(qcow2(2001)), {}, 'too_large'],
    [
      'a file of 51 GiB',
      (response) => void response.writeHead(200, { 'content-length': 51 * GB }).write('x'),
      {},
      'too_large',
    ],
    ['more than five redirects', sixRedirects, {}, 'fetch_failed'],
    ['a redirect to a private address', to('https://10.0.0.1/'), {}, 'blocked_address'],
    ['a redirect to metadata', to('https://169.254.169.254/latest'), {}, 'blocked_address'],
    [
      'a connection that breaks',
      (response) => {
        response.writeHead(200, { 'content-length': 4096 }).write(qcow2(1).subarray(0, 1000));
        setImmediate(() => response.destroy());
      },
      {},
      'fetch_failed',
    ],
  ];
  it.each(failures)('fails with the reason: %s', async (_, answering, source, code) => {
    const { account, key, imported } = await createHome();
    receiver.answer(answering);
    const image = await imported({ url: here(), ...source });
    expect(image).toMatchObject({
      status: 'failed',
      progress_percent: null,
      failure: { code },
      locations: [],
    });
    expect(JSON.stringify(image)).not.toContain('verysecret');
    const events = (await t.call({ url: '/account/v1/events?types=image.failed', key })).json().data;
    expect(events).toHaveLength(1);
    for (const engine of t.services.compute.all)
      expect(await engine.observeImage({ account: account.id, id: image.id })).toBeNull();
  });

  it('fails if the host name leads to an address that may not be called', async () => {
    const { imported } = await createHome();
    const resolve: Resolve = async () => ['192.168.0.1'];
    const { egress } = t.services;
    Object.assign(t.services, { egress: new Egress(settings, resolve) });
    expect(await imported({ url: here() })).toMatchObject({ failure: { code: 'blocked_address' } });
    Object.assign(t.services, { egress });
  });

  it.each([
    ['http://images.example.com/a', 'invalid_format'],
    ['https://me:secret@images.example.com/a', 'invalid_format'],
    ['ftp://images.example.com/a', 'invalid_format'],
    ['nowhere', 'invalid_format'],
    ['https://10.1.2.3/a', 'blocked_address'],
    ['https://[::1]/a', 'blocked_address'],
  ])('422: %s', async (url, code) => {
    const { create } = await createHome();
    const answer = await create({ url });
    expect(answer.statusCode).toBe(422);
    const [error] = answer.json().errors;
    expect(error).toMatchObject({ pointer: '/source/url', code });
  });

  it('409: more than 3 at the same time', async () => {
    const { create, key } = await createHome();
    for (let i = 0; i < 3; i++) expect((await create({ url: here() })).statusCode).toBe(202);
    const answer = await create({ url: here() });
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'quota_exceeded']);
    expect(answer.json()).toMatchObject({ limit_id: 'flexible-vps.url-imports', limit: 3, used: 3 });
    const limits = (await t.call({ url: '/account/v1/limits?limit=200&family=flexible-vps', key })).json()
      .data;
    const used = Object.fromEntries(limits.map((row: { id: string; used: number }) => [row.id, row.used]));
    expect([used['flexible-vps.url-imports'], used['flexible-vps.images']]).toEqual([3, 3]);
    receiver.answer(serving(qcow2(1)));
    await settle(t);
    expect((await create({ url: here() })).statusCode).toBe(202);
    await settle(t);
  });
});

describe('an import that is cancelled', () => {
  it('leaves nothing behind', async () => {
    const working = await createTestApp({
      works: true,
      provider: (config) => ({ ...config, egress: { ...config.egress, ...settings, addresses: [] } }),
    });
    const before = await readdir(tmpdir());
    const account = await createAccount(working.services.db);
    const { key } = await createKey(working.services.db, account);
    const begun = new Promise<void>((resolve) => {
      receiver.answer((response) => {
        response.writeHead(200, { 'content-length': 4096 }).write(Buffer.alloc(10));
        resolve();
      });
    });
    const payload = { name: 'slow', source: { type: 'url', url: here(), architecture: 'amd64' } };
    const answer = await working.call({ method: 'POST', url: '/flexible-vps/v1/images', key, payload });
    const { id, operation } = answer.json();
    await begun;
    const busy = await working.call({ method: 'DELETE', url: `/flexible-vps/v1/images/${id}`, key });
    expect([busy.statusCode, busy.json().code]).toEqual([409, 'operation_in_progress']);
    await cancelled(working, operation.id);
    expect((await ended(working, operation.id)).status).toBe('cancelled');
    expect((await working.call({ url: `/flexible-vps/v1/images/${id}`, key })).statusCode).toBe(404);
    expect((await working.call({ url: '/account/v1/resources', key })).json().data).toEqual([]);
    await expect
      .poll(async () =>
        (await readdir(tmpdir())).filter(
          (name) => name.startsWith('hostplane-image-') && !before.includes(name),
        ),
      )
      .toEqual([]);
    await working.close();
  });
});
