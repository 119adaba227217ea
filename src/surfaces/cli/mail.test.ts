import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendMail } from '../../mail/outbox.ts';
import { MailSender } from '../../mail/sender.ts';
import { transact } from '../../store/transaction.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { PASSWORD, startSmtp } from '../../testing/smtp.ts';

let t: TestApp;
let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  t = await createTestApp({
    provider: (config) => ({ ...config, database: { ...config.database, folder } }),
  });
});
afterAll(async () => {
  await t.close();
  await removeTemporaryFolder(folder);
});

const env = () => ({ HOSTPLANE_DATABASE_URL: urlOf(t.database.connection), HOSTPLANE_DATA: folder });
const run = (...argv: string[]) => runCommand(['mail', ...argv], { env: env() });

describe('hostplane admin mail', () => {
  it('lists, shows and sends again, and never shows a link that the database still has', async () => {
    const id =
      (await transact(t.services.db, (tx) =>
        sendMail(tx, {
          to: 'zoe@example.test',
          template: 'welcome',
          data: { name: 'Zoë', account_name: 'Zoë', link: 'https://portal.example.test/#secret' },
        }),
      )) ?? '';
    const list = await run('list', '--status', 'queued');
    expect(list.out).toMatch(new RegExp(`${id}.*zoe@example.test.*welcome.*queued`));
    expect((await run('list', '--status', 'failed')).out).toContain('There are no such mails.');
    const waiting = await run('show', id, '--json');
    expect(JSON.parse(waiting.out)).toMatchObject({ id, status: 'queued' });
    expect(waiting.out).not.toContain('#secret');
    expect((await run('send-again', id)).out).toContain('queued');
    await new MailSender(t.services).settle();
    const shown = await run('show', id);
    expect(shown.out).toContain(join(folder, 'outbox', `${id}.eml`));
    expect(shown.out).toContain('Welcome to Hostplane Demo');
    expect(shown.out).toContain('https://portal.example.test/#secret');
    const again = await run('send-again', id);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('This mail was sent.')]);
    const unknown = await run('show', 'mail_x');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('There is no mail mail_x')]);
  });
});

describe('hostplane admin doctor', () => {
  const examine = async (mail: object) => {
    const file = join(folder, 'hostplane.yaml');
    await writeFile(file, JSON.stringify({ mail }));
    const { out } = await runCommand(['doctor', '--json', '--config', file], {
      env: { ...env(), HOSTPLANE_PORT: '0' },
    });
    const { checks } = JSON.parse(out) as { checks: { name: string; status: string; fix?: string }[] };
    return checks.find(({ name }) => name === 'Mail');
  };

  it('signs in at the SMTP server, and says how to fix what fails', async () => {
    const server = await startSmtp({ user: 'hostplane' });
    const { host, port } = server.config;
    await writeFile(join(folder, 'right'), `${PASSWORD}\n`);
    await writeFile(join(folder, 'wrong'), 'wrong');
    const smtp = { host, port, tls: 'none', user: 'hostplane', password_file: 'right' };
    expect(await examine({ smtp: null })).toMatchObject({ status: 'skipped' });
    expect(await examine({ smtp })).toMatchObject({ status: 'ok' });
    expect(await examine({ smtp: { ...smtp, password_file: 'wrong' } })).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('password_file'),
    });
    expect(await examine({ smtp: { ...smtp, tls: 'starttls' } })).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('mail.smtp.tls'),
    });
    expect(await examine({ smtp: { ...smtp, port: 1 } })).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('mail.smtp.host'),
    });
    expect(server.received).toEqual([]);
    await server.close();
  });
});
