import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Environment, REAL } from '../operations/environment.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { transact } from '../store/transaction.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { startSmtp, type TestSmtp } from '../testing/smtp.ts';
import { listMails, sendAgain } from './desk.ts';
import { type NewMail, sendMail } from './outbox.ts';
import { DELAYS } from './retries.ts';
import { MailSender } from './sender.ts';

let t: TestApp;
let smtp: TestSmtp;
let shiftMs = 0;
beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  // The clock of the database is finer, so its present is later than ours.
  shiftMs = 1000;
  await t.services.db.deleteFrom('mails').execute();
});

const environment: Environment = { ...REAL, now: () => new Date(Date.now() + shiftMs) };
const later = (seconds: number): void => {
  shiftMs += seconds * 1000;
};

function senderTo(mail: Partial<ProviderConfig['mail']>, folder?: string): MailSender {
  const { provider } = t.services;
  const database = { ...provider.database, ...(folder === undefined ? {} : { folder }) };
  const stage = { ...t.services, provider: { ...provider, database, mail: { ...provider.mail, ...mail } } };
  return new MailSender(stage, { environment });
}

const LINK = 'https://portal.example.test/verify#token=one-time-secret';
const verification = (to = 'zoe@example.test'): NewMail => ({
  to,
  template: 'verify_email',
  data: { name: 'Zoë', link: LINK, expires_at: new Date('2026-03-01T10:00:00Z') },
});
const write = (mail: NewMail = verification()) => transact(t.services.db, (tx) => sendMail(tx, mail));
const only = async () => (await listMails(t.services.db, { limit: 10 }))[0];
const dataOf = async () => (await t.services.db.selectFrom('mails').select('data').execute())[0]?.data;

describe('a mail', () => {
  beforeEach(async () => {
    smtp = await startSmtp({ user: 'hostplane' });
  });
  afterEach(() => smtp.close());

  it('is not there if the transaction that causes it is rolled back', async () => {
    const written = transact(t.services.db, async (tx) => {
      await sendMail(tx, verification());
      throw new Error('the act failed');
    });
    await expect(written).rejects.toThrow('the act failed');
    await senderTo({ smtp: smtp.config }).settle();
    expect(smtp.received).toEqual([]);
  });

  it('arrives with text and HTML, and its content is removed from the database then', async () => {
    const id = await write();
    expect(JSON.stringify(await dataOf())).toContain('one-time-secret');
    await senderTo({ smtp: smtp.config }).settle();
    const [mail, ...more] = smtp.received;
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      from: 'no-reply@demo.example',
      to: ['zoe@example.test'],
      user: 'hostplane',
    });
    const parsed = await PostalMime.parse(mail!.raw);
    expect(parsed).toMatchObject({
      from: { name: 'Hostplane Demo', address: 'no-reply@demo.example' },
      replyTo: [{ address: 'support@demo.example' }],
      to: [{ address: 'zoe@example.test' }],
      subject: 'Confirm your e-mail address for Hostplane Demo',
      messageId: `<${id}@demo.example>`,
    });
    expect(parsed.text).toContain('Hello Zoë,');
    expect(parsed.text).toContain(LINK);
    expect(parsed.html).toContain(`<a href="${LINK}"`);
    expect(await only()).toMatchObject({ id, status: 'sent', attempts: 1, last_error: null });
    expect(await dataOf()).toBeNull();
    await senderTo({ smtp: smtp.config }).settle();
    expect(smtp.received).toHaveLength(1);
  });

  it('451, then 250: it is tried again after a minute, with the same bytes', async () => {
    await write();
    const sender = senderTo({ smtp: smtp.config });
    smtp.answer((stage) => (stage === 'DATA' ? 451 : undefined));
    await sender.settle();
    expect(await only()).toMatchObject({ status: 'queued', last_error: expect.stringContaining('451') });
    later(50);
    await sender.settle();
    expect(smtp.received).toHaveLength(1);
    smtp.answer(() => undefined);
    later(11);
    await sender.settle();
    expect(smtp.received).toHaveLength(2);
    expect(smtp.received[1]?.raw).toEqual(smtp.received[0]?.raw);
    expect(await only()).toMatchObject({ status: 'sent', attempts: 2 });
  });

  it.each(['RCPT TO', 'DATA'] as const)(
    '550 to %s: it fails at once, and says why until an operator sends it again',
    async (refused) => {
      const id = (await write()) ?? '';
      const sender = senderTo({ smtp: smtp.config });
      smtp.answer((stage) => (stage === refused ? 550 : undefined));
      await sender.settle();
      expect(await only()).toMatchObject({
        status: 'failed',
        attempts: 1,
        next_attempt_at: null,
        last_error: expect.stringContaining('550'),
      });
      smtp.answer(() => undefined);
      later(7 * 86_400);
      await sender.settle();
      expect(await only()).toMatchObject({ status: 'failed' });
      expect(await sendAgain(t.services.db, t.services.provider, id)).toMatchObject({ status: 'queued' });
      await sender.settle();
      expect(await only()).toMatchObject({ status: 'sent' });
      expect(await sendAgain(t.services.db, t.services.provider, id)).toBeNull();
    },
  );

  it.each([
    ['a sender that the server refuses', { 'MAIL FROM': 550 }, {}],
    ['a wrong password', {}, { password: 'wrong' }],
    ['a server that does not answer', {}, { port: 1 }],
    ['a server without TLS', {}, { tls: 'starttls' as const }],
  ] as [string, Record<string, number>, object][])(
    '%s: it waits, because the operator can repair this',
    async (_, codes, change) => {
      await write();
      smtp.answer((stage) => codes[stage]);
      await senderTo({ smtp: { ...smtp.config, ...change } }).settle();
      expect(await only()).toMatchObject({ status: 'queued', attempts: 1, last_error: expect.any(String) });
      expect((await only())?.last_error).not.toContain('wrong');
      smtp.answer(() => undefined);
      later(60);
      await senderTo({ smtp: smtp.config }).settle();
      expect(await only()).toMatchObject({ status: 'sent', attempts: 2 });
    },
  );

  it('is given up after three days, and its last error is kept', async () => {
    await write();
    const sender = senderTo({ smtp: smtp.config });
    smtp.answer(() => 421);
    for (const delay of DELAYS) {
      await sender.settle();
      expect(await only()).toMatchObject({ status: 'queued' });
      later(delay);
    }
    await sender.settle();
    expect(await only()).toMatchObject({
      status: 'failed',
      attempts: DELAYS.length + 1,
      last_error: expect.stringContaining('421'),
    });
    expect(DELAYS.reduce((sum, delay) => sum + delay, 0) / 86_400).toBeCloseTo(3, 0);
    expect(t.logged.filter((line) => line.includes('one-time-secret'))).toEqual([]);
  });

  it('is sent once by two workers', async () => {
    for (let i = 0; i < 20; i++) await write(verification(`person-${i}@example.test`));
    await Promise.all([1, 2, 3].map(() => senderTo({ smtp: smtp.config }).settle()));
    expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => `person-${i}@example.test`).sort(),
    );
  });

  it.each([
    'zoe@example.test, eve@example.test',
    'zoe@example.test\r\nBcc: eve@example.test',
    '<eve@example.test> zoe@example.test',
    'zoe',
  ])('is not written for what is not one address: %j', async (to) => {
    await expect(write(verification(to))).rejects.toThrow('not one address');
  });
});

describe('a worker', () => {
  it('sends a mail as soon as it is written', async () => {
    smtp = await startSmtp();
    const busy = await createTestApp({
      works: true,
      provider: (config) => ({ ...config, mail: { ...config.mail, smtp: smtp.config } }),
    });
    await transact(busy.services.db, (tx) => sendMail(tx, verification()));
    await expect.poll(() => smtp.received.length, { timeout: 120_000 }).toBe(1);
    await busy.close();
    await smtp.close();
  });
});

describe('without SMTP', () => {
  it('a mail becomes a file that only its owner can read', async () => {
    const folder = await makeTemporaryFolder();
    const id = await write();
    await senderTo({ smtp: null }, folder).settle();
    expect(await readdir(join(folder, 'outbox'))).toEqual([`${id}.eml`]);
    expect((await stat(join(folder, 'outbox', `${id}.eml`))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'outbox'))).mode & 0o777).toBe(0o700);
    expect(await only()).toMatchObject({ status: 'sent' });
    expect(await dataOf()).toBeNull();
    await removeTemporaryFolder(folder);
  });
});

describe('mails that strangers can cause', () => {
  it('three in an hour for one recipient, of all kinds together and however they arrive', async () => {
    const { db } = t.services;
    const invitation = (to: string): NewMail => ({
      to,
      template: 'invitation',
      data: { inviter: 'Eve', account_name: 'X', role: 'admin', link: LINK, expires_at: new Date() },
    });
    const all = [verification(), verification('ZOE@example.test'), invitation('zoe@example.test')];
    const written = await Promise.all([...all, ...all].map((mail) => write(mail)));
    expect(written.filter((id) => id !== null)).toHaveLength(3);
    expect(await write(verification('other@example.test'))).not.toBeNull();
    // Mails that only the person can cause are not counted.
    const changed: NewMail = {
      to: 'zoe@example.test',
      template: 'password_changed',
      data: { name: 'Zoë', at: new Date(), address: '192.0.2.1', link: LINK },
    };
    expect(await write(changed)).not.toBeNull();
    await db
      .updateTable('mails')
      .set({ created_at: new Date(Date.now() - 3_601_000) })
      .execute();
    expect(await write()).not.toBeNull();
  });
});
