import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendMail } from '../../mail/outbox.ts';
import { MailSender } from '../../mail/sender.ts';
import { transact } from '../../store/transaction.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { createServer } from '../http/server.ts';
import { serveOutbox } from './outbox.ts';

let t: TestApp;
let folder: string;
let server: ReturnType<typeof createServer>;
let id: string;
const LINK = 'https://portal.example.test/verify#token=t';

const smtp = { host: 'mail.example.test', port: 25, tls: 'none', user: null, password: null } as const;
const open = (change: object): ReturnType<typeof createServer> => {
  const opened = createServer(t.services);
  serveOutbox(opened, { ...t.services, baseUrl: 'http://127.0.0.1:8080', ...change });
  return opened;
};

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  t = await createTestApp({
    provider: (config) => ({ ...config, database: { ...config.database, folder } }),
  });
  server = open({});
});
afterAll(async () => {
  await server.close();
  await t.close();
  await removeTemporaryFolder(folder);
});

const here = { host: 'localhost:8080' };
const get = (url: string, headers: Record<string, string> = here, remoteAddress = '127.0.0.1') =>
  server.inject({ url, headers, remoteAddress });

describe('/portal/outbox', () => {
  it('200 without a mail: says so', async () => {
    expect((await get('/portal/outbox')).body).toContain('No mail was written yet.');
  });

  it('200 on the same machine: the mails, the newest first, and each with its link', async () => {
    for (const name of ['First', '<b>Second</b>'])
      id =
        (await transact(t.services.db, (tx) =>
          sendMail(tx, {
            to: 'zoe@example.test',
            template: 'invitation',
            data: { inviter: 'Eve', account_name: name, role: 'admin', link: LINK, expires_at: new Date() },
          }),
        )) ?? '';
    await new MailSender(t.services).settle();
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const { statusCode, headers, body } = await get('/portal/outbox', here, address);
      expect([address, statusCode, headers['cache-control']]).toEqual([address, 200, 'no-store']);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
      expect(body.indexOf('Second')).toBeLessThan(body.indexOf('First'));
      expect(body).not.toContain('<b>');
    }
    const one = await get(`/portal/outbox/${id}`);
    expect([one.statusCode, one.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(one.body).toContain(`<a href="${LINK}">${LINK}</a>`);
  });

  it.each([
    ['another machine', here, '192.0.2.1'],
    ['another machine behind a proxy here', { ...here, 'x-forwarded-for': '192.0.2.1' }, '127.0.0.1'],
    ['a proxy here that hides its client', { ...here, via: '1.1 proxy' }, '127.0.0.1'],
    ['a page of another site whose name leads here', { host: 'evil.example' }, '127.0.0.1'],
  ])('404 for %s', async (_, headers, address) => {
    for (const url of ['/portal/outbox', `/portal/outbox/${id}`])
      expect([url, (await get(url, headers, address)).statusCode]).toEqual([url, 404]);
  });

  it.each(['mail_00000000000000000000000000', '..%2fsecret.key', 'x'])(
    '404 for the mail %s',
    async (name) => {
      expect((await get(`/portal/outbox/${name}`)).statusCode).toBe(404);
    },
  );

  it.each([
    [
      'an SMTP server is configured',
      () => ({ provider: { ...t.services.provider, mail: { from: 'a@b.test', smtp } } }),
    ],
    ['the server has a public address', () => ({ baseUrl: 'https://api.example.test' })],
  ])('404 if %s', async (_, change) => {
    const other = open(change());
    const { statusCode } = await other.inject({ url: '/portal/outbox', headers: here });
    expect(statusCode).toBe(404);
    await other.close();
  });
});
