/** Sends to aiosmtpd, an SMTP server that shares no code with our SMTP client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { transact } from '../store/transaction.ts';
import { createTestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { listMails } from './desk.ts';
import { sendMail } from './outbox.ts';
import { MailSender } from './sender.ts';

const PROGRAM = '/usr/bin/aiosmtpd';
const isHere = existsSync(PROGRAM);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });

const title = 'aiosmtpd';
describe.skipIf(!isHere)(isHere ? title : `${title}: not installed (package python3-aiosmtpd)`, () => {
  it('accepts every mail, and a foreign program stores what we wrote', async () => {
    const folder = await makeTemporaryFolder();
    const port = await freePort();
    const box = join(folder, 'mails');
    const child = spawn(
      PROGRAM,
      ['--nosetuid', '--listen', `127.0.0.1:${port}`, '--class', 'aiosmtpd.handlers.Mailbox', box],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    const t = await createTestApp();
    try {
      await expect.poll(() => answers(port), { timeout: 120_000 }).toBe(true);
      const smtp = { host: '127.0.0.1', port, tls: 'none', user: null, password: null } as const;
      const provider = { ...t.services.provider, mail: { ...t.services.provider.mail, smtp } };
      const link = `https://portal.example.test/join#token=${'x'.repeat(300)}`;
      await transact(t.services.db, (tx) =>
        sendMail(tx, {
          to: 'zoe@example.test',
          template: 'invitation',
          data: {
            inviter: 'Jürgen',
            account_name: '.Zoë & Söhne',
            role: 'admin',
            link,
            expires_at: new Date(),
          },
        }),
      );
      await new MailSender({ ...t.services, provider }).settle();
      expect(await listMails(t.services.db, { limit: 5 })).toMatchObject([{ status: 'sent', attempts: 1 }]);
      const [name, ...more] = await readdir(join(box, 'new'));
      expect(more).toEqual([]);
      const mail = await PostalMime.parse(await readFile(join(box, 'new', name ?? '')));
      expect(mail.subject).toContain('Invitation to .');
      expect(mail.subject).toContain('Zoë & Söhne at Hostplane Demo');
      expect(mail.text).toContain('Jürgen invites you');
      expect(mail.text).toContain(link);
      expect(mail.html).toContain(`href="${link}"`);
      expect(mail.headers.find(({ key }) => key === 'x-rcptto')?.value).toBe('zoe@example.test');
    } finally {
      const gone = once(child, 'exit');
      kill();
      await gone;
      process.off('exit', kill);
      await t.close();
      await removeTemporaryFolder(folder);
    }
  });
});
