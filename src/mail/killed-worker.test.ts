import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transact } from '../store/transaction.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { smtpCertificateFile, startSmtp, type TestSmtp } from '../testing/smtp.ts';
import { buildWorker, startWorker, type WorkerProcess } from '../testing/worker-process.ts';
import { listMails } from './desk.ts';
import { sendMail } from './outbox.ts';

let t: TestApp;
let folder: string;
let program: string;
let smtp: TestSmtp;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  program = await buildWorker(folder);
  t = await createTestApp();
});
afterAll(async () => {
  await t.close();
  await removeTemporaryFolder(folder);
});
beforeEach(async () => {
  smtp = await startSmtp({ tls: 'starttls', user: 'hostplane' });
  await t.services.db.deleteFrom('mails').execute();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
  await smtp.close();
});

async function start(): Promise<WorkerProcess> {
  const mail = { from: 'no-reply@example.test', smtp: smtp.config };
  const worker = await startWorker(
    program,
    { connection: t.database.connection, leaseSeconds: 2, mail },
    { NODE_EXTRA_CA_CERTS: smtpCertificateFile },
  );
  workers.push(worker);
  return worker;
}

const act = () =>
  transact(t.services.db, (tx) =>
    sendMail(tx, {
      to: 'zoe@example.test',
      template: 'welcome',
      data: { name: 'Zoë', account_name: 'Zoë', link: 'https://portal.example.test/' },
    }),
  );
const status = async () => (await listMails(t.services.db, { limit: 1 }))[0]?.status;
const sent = () => expect.poll(status, { timeout: 120_000 }).toBe('sent');
const never = new Promise<undefined>(() => undefined);

describe('a worker that is killed', () => {
  it('between the act and the mail: another worker sends the mail, once, over TLS', async () => {
    let asked = false;
    smtp.answer((stage) => {
      if (stage !== 'MAIL FROM') return undefined;
      asked = true;
      return never;
    });
    const first = await start();
    await act();
    await expect.poll(() => asked, { timeout: 120_000 }).toBe(true);
    await first.end('SIGKILL');
    smtp.answer(() => undefined);
    await start();
    await sent();
    expect(smtp.received).toMatchObject([{ to: ['zoe@example.test'], user: 'hostplane', isEncrypted: true }]);
  });

  it('between the mail and its record: the mail is sent again, with the same Message-ID and bytes', async () => {
    smtp.answer((stage) => (stage === 'DATA' ? never : undefined));
    const first = await start();
    const id = await act();
    await expect.poll(() => smtp.received.length, { timeout: 120_000 }).toBeGreaterThan(0);
    await first.end('SIGKILL');
    const before = smtp.received.length;
    smtp.answer(() => undefined);
    await start();
    await sent();
    // A worker that is too late to renew its claim sends the mail again, too.
    expect(smtp.received.length).toBeGreaterThan(before);
    const [one, ...others] = smtp.received;
    expect(one?.raw.toString()).toContain(`Message-ID: <${id}@example.test>`);
    for (const { raw } of others) expect(raw).toEqual(one?.raw);
  });

  it('a certificate that is not trusted gets no mail', async () => {
    const mail = { from: 'no-reply@example.test', smtp: smtp.config };
    const task = { connection: t.database.connection, leaseSeconds: 2, mail };
    workers.push(await startWorker(program, task));
    await act();
    const last = async () => (await listMails(t.services.db, { limit: 1 }))[0]?.last_error;
    await expect.poll(last, { timeout: 120_000 }).toMatch(/certificate/);
    expect([await status(), smtp.received]).toEqual(['queued', []]);
  });
});
