/** A mail server that keeps its clients waiting: it sends a byte of its answer now and then, without an end. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { transact } from '../store/transaction.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { tryToSignIn } from './delivery.ts';
import { listMails } from './desk.ts';
import { sendMail } from './outbox.ts';
import { MailSender } from './sender.ts';

const CODES = ['the greeting', 'the answer to a command'] as const;
let t: TestApp;
let server: Server;
let greets = false;
const open = new Set<Socket>();
beforeAll(async () => {
  t = await createTestApp({ works: false });
  server = createServer((socket) => {
    open.add(socket);
    socket.write(greets ? '220 ready\r\n250-' : '220-');
    const drops = setInterval(() => socket.write('x'), 5);
    socket.on('close', () => {
      open.delete(socket);
      clearInterval(drops);
    });
    socket.on('error', () => undefined).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => t.services.db.deleteFrom('mails').execute());
afterAll(async () => {
  server.close();
  await t.close();
});

const smtpOf = () =>
  ({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    tls: 'none',
    user: null,
    password: null,
  }) as const;

it.each(CODES)('ends an attempt in its total time while the server drips %s', async (stage) => {
  greets = stage === CODES[1];
  const { provider } = t.services;
  const mail = { ...provider.mail, smtp: smtpOf() };
  const data = { name: 'Zoë', link: 'https://portal.example.test/', expires_at: new Date() };
  await transact(t.services.db, (tx) =>
    sendMail(tx, { to: 'zoe@example.test', template: 'verify_email', data }),
  );
  await new MailSender({ ...t.services, provider: { ...provider, mail } }, { attemptMs: 500 }).settle();
  expect(await listMails(t.services.db, { limit: 5 })).toMatchObject([
    { status: 'queued', attempts: 1, last_error: '127.0.0.1 did not take the mail within 0.5 seconds.' },
  ]);
  await expect.poll(() => open.size).toBe(0);
});

it.each(CODES)('ends the test of the settings in its total time while the server drips %s', async (stage) => {
  greets = stage === CODES[1];
  await expect(tryToSignIn(smtpOf(), 500)).rejects.toThrow('127.0.0.1 did not answer within 0.5 seconds.');
  await expect.poll(() => open.size).toBe(0);
});
