/** `hostplane admin mail`: the mails of the last 30 days. */
import type { Command } from 'commander';
import { listMails, type MailStatus, type ShownMail, sendAgain, showMail } from '../../mail/desk.ts';
import type { Cli, Output } from './command.ts';
import { choice } from './options.ts';
import { Refusal } from './refusal.ts';
import { clean, facts, table } from './table.ts';

const MOST_SHOWN = 200;

const row = (mail: ShownMail) => ({
  id: mail.id,
  to: mail.recipient,
  template: mail.template,
  status: mail.status,
  attempts: mail.attempts,
  written: mail.created_at,
  'next attempt': mail.next_attempt_at,
  error: mail.last_error,
});

const shown = (mail: ShownMail): Output => ({ json: mail, text: facts({ ...mail }) });

export function addMail(program: Command, cli: Cli): void {
  const mail = program
    .command('mail')
    .description('mails to people: which were sent, which wait, which failed');

  mail
    .command('list')
    .description('mails of the last 30 days, the newest first')
    .addOption(choice('--status <status>', ['queued', 'sent', 'failed']))
    .action(
      cli.atDesk<{ status?: MailStatus }>(async ({ db }, { status }) => {
        const mails = await listMails(db, { limit: MOST_SHOWN, ...(status === undefined ? {} : { status }) });
        return { json: mails, text: table(mails.map(row), 'There are no such mails.') };
      }),
    );

  mail
    .command('show')
    .description('one mail; its text, too, if it was written to a file')
    .argument('<mail>', 'its id')
    .action(
      cli.atDesk(async ({ db, config }, _, [id = '']) => {
        const { mail, file } = await showMail(db, config, id);
        if (file === null) return shown(mail);
        const text = `${facts({ ...mail, file: file.path, subject: file.subject })}\n${clean(file.text)}`;
        return { json: { ...mail, file }, text };
      }),
    );

  mail
    .command('send-again')
    .description('send a mail now that waits or has failed')
    .argument('<mail>', 'its id')
    .action(
      cli.atDesk(async ({ db, config }, _, [id = '']) => {
        const mail = await sendAgain(db, config, id);
        if (mail !== null) return shown(mail);
        throw new Refusal(
          'This mail was sent. Its content was removed then, because it may contain a one-time link. Let the person ask for a new one, or invite the person again.',
        );
      }),
    );
}
