import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createReceiver, type Receiver, receiverCertificate, withStatus } from '../../testing/receiver.ts';
import { Egress, type EgressSettings, hostOf, NoAnswer, type Resolve } from './egress.ts';

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

async function receiver(host?: string, port?: number): Promise<Receiver> {
  const one = await createReceiver(host, port);
  closing.push(one);
  return one;
}

const settings: EgressSettings = { allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate };
const as =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;
const egress = (resolve: Resolve, more: Partial<EgressSettings> = {}) =>
  new Egress({ ...settings, ...more }, resolve);
const post = { method: 'POST', headers: {}, timeoutMs: 5000, maxBytes: 1024 } as const;
const failure = (call: Promise<unknown>) =>
  call.then(
    () => 'an answer',
    (error: unknown) => (error instanceof NoAnswer ? error.fault : error),
  );

describe('the addresses that may be called', () => {
  const strict = new Egress({ allow: [], deny: ['198.41.0.0/24'], ca: null });

  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '192.0.2.1', '198.18.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::1', '::', 'fe80::1', 'fd00::1', 'ff02::1', '2001:db8::1', '::ffff:127.0.0.1', '::127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', 'fd00:ec2::254'],
    ...['198.41.0.4', '64:ff9b::c629:4'],
  ])('%s is refused', (text) => expect(strict.refuses(text)).not.toBeNull());

  it.each(['1.1.1.1', '2606:4700::1111', '64:ff9b::101:101', 'example.com'])('%s is allowed', (text) => {
    expect(strict.refuses(text)).toBeNull();
  });

  it('ranges that the provider allows are allowed, unless a narrower range is denied', () => {
    const own = new Egress({ allow: ['10.0.0.0/8'], deny: ['10.9.0.0/16'], ca: null });
    expect([own.refuses('10.1.1.1'), own.refuses('10.9.1.1'), own.refuses('192.168.0.1')]).toEqual([
      null,
      'denied',
      'private',
    ]);
  });
});

describe('an outgoing call', () => {
  it('sends the body, names the host, and reads at most the wanted number of bytes', async () => {
    const to = await receiver();
    to.answer((response) => response.writeHead(200, { 'x-a': 'b' }).end('x'.repeat(5000)));
    const url = new URL(`${to.url}?a=1`);
    const answer = await egress(as('127.0.0.1')).call(url, { ...post, body: Buffer.from('{"ä":1}') });
    expect([answer.status, answer.headers['x-a'], answer.body.length]).toEqual([200, 'b', 1024]);
    expect(to.received).toHaveLength(1);
    expect(to.received[0]).toMatchObject({
      method: 'POST',
      path: '/hook?a=1',
      headers: { host: `localhost:${to.port}` },
      body: Buffer.from('{"ä":1}'),
    });
  });

  it('connects to the address that was checked, even if DNS changes afterwards', async () => {
    const checked = await receiver('127.0.0.2');
    const other = await receiver('127.0.0.1', checked.port);
    const answers = [['127.0.0.2'], ['127.0.0.1']];
    let asked = 0;
    const rebinding = egress(async () => answers[asked++] ?? [], { allow: ['127.0.0.2'] });
    expect((await rebinding.call(new URL(checked.url), post)).status).toBe(204);
    expect([asked, checked.connections(), other.connections()]).toEqual([1, 1, 0]);
    expect(await failure(rebinding.call(new URL(checked.url), post))).toBe('blocked_address');
    expect([asked, checked.connections(), other.connections()]).toEqual([2, 1, 0]);
  });

  it('is refused if any address of the name is refused', async () => {
    const to = await receiver();
    const url = new URL(to.url);
    for (const addresses of [['127.0.0.1', '10.0.0.1'], ['::1', '127.0.0.1'], ['nonsense']])
      expect(await failure(egress(as(...addresses)).call(url, post))).toBe('blocked_address');
    expect(await failure(egress(as('127.0.0.1'), { allow: [] }).call(url, post))).toBe('blocked_address');
    const literal = new URL(`https://127.0.0.1:${to.port}/`);
    expect(await failure(egress(as('1.1.1.1'), { allow: [] }).call(literal, post))).toBe('blocked_address');
    expect(to.connections()).toBe(0);
  });

  it('follows no redirect', async () => {
    const elsewhere = await receiver();
    const to = await receiver();
    to.answer(withStatus(302, { location: elsewhere.url }));
    expect((await egress(as('127.0.0.1')).call(new URL(to.url), post)).status).toBe(302);
    expect(elsewhere.connections()).toBe(0);
  });

  it('returns the status although the body arrives slowly', async () => {
    const to = await receiver();
    to.answer((response) => void response.writeHead(200).write('begun'));
    const answer = await egress(as('127.0.0.1')).call(new URL(to.url), { ...post, timeoutMs: 2000 });
    expect([answer.status, answer.body.toString()]).toEqual([200, 'begun']);
  });
});

describe('a failed outgoing call reports', () => {
  it('timeout: neither the receiver nor the DNS server answers', async () => {
    const to = await receiver();
    to.answer(() => undefined);
    const soon = { ...post, timeoutMs: 200 };
    expect(await failure(egress(as('127.0.0.1')).call(new URL(to.url), soon))).toBe('timeout');
    const silent: Resolve = () => new Promise(() => undefined);
    expect(await failure(egress(silent).call(new URL(to.url), soon))).toBe('timeout');
  });

  it('dns: the name does not exist', async () => {
    const url = new URL('https://nowhere.invalid/');
    expect(await failure(egress(as()).call(url, post))).toBe('dns');
    const fails: Resolve = () => Promise.reject(new Error('ENOTFOUND'));
    expect(await failure(egress(fails).call(url, post))).toBe('dns');
  });

  it('tls: an untrusted certificate, one for another name, or no TLS at all', async () => {
    const to = await receiver();
    const url = new URL(to.url);
    expect(await failure(egress(as('127.0.0.1'), { ca: null }).call(url, post))).toBe('tls');
    const otherName = new URL(`https://example.com:${to.port}/`);
    expect(await failure(egress(as('127.0.0.1')).call(otherName, post))).toBe('tls');
    const plain = createTcpServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    );
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    closing.push(plain);
    const { port } = plain.address() as { port: number };
    const call = egress(as('127.0.0.1')).call(new URL(`https://localhost:${port}/`), post);
    expect(await failure(call)).toBe('tls');
  });

  it('connect: nobody listens, the connection breaks, or plain HTTP would be needed', async () => {
    const to = await receiver();
    to.answer((response) => response.destroy());
    expect(await failure(egress(as('127.0.0.1')).call(new URL(to.url), post))).toBe('connect');
    await to.close();
    expect(await failure(egress(as('127.0.0.1')).call(new URL(to.url), post))).toBe('connect');
    expect(await failure(egress(as('127.0.0.1')).call(new URL('http://localhost/'), post))).toBe('connect');
  });
});

it('the brackets of an IPv6 address are removed', () => {
  expect(hostOf(new URL('https://[::1]:8443/'))).toBe('::1');
});
