/** `hostplane admin tickets`: where the provider's staff answers tickets. */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { chooseAccount } from './choice.ts';
import type { Cli, Output } from './command.ts';
import { choice } from './options.ts';
import { Refusal } from './refusal.ts';
import { clean, facts, table } from './table.ts';
import type { Conversation, StaffTicket } from './ticket-desk.ts';

const TICKET = 'the id of the ticket (tkt_…)';

const shown = (ticket: StaffTicket): Output => {
  const { id, number, subject, status, assigned_to: assigned } = ticket;
  return { json: ticket, text: facts({ id, number, subject, status, assigned }) };
};

function written({ ticket, entries, calls }: Conversation): string {
  const head = facts({
    id: ticket.id,
    account: `${ticket.account_name} (${ticket.account_id})`,
    number: ticket.number,
    subject: ticket.subject,
    category: ticket.category,
    severity: ticket.severity,
    plan: ticket.support_plan,
    status: ticket.status,
    assigned: ticket.assigned_to,
    team: ticket.assigned_team,
    'answer due': ticket.first_response_due_at,
    answered: ticket.first_response_at,
    'follow-up of': ticket.follow_up_of,
    resources: ticket.resources.map(({ type, id, name }) => `${type} ${name} (${id})`),
    calls: calls.map((call) =>
      [call.request_id, call.action, call.http_status ?? '', call.problem_code ?? ''].join(' ').trim(),
    ),
  });
  const parts = entries.map(({ at, kind, by, body, files }) => {
    const title = kind === 'note' ? `internal note by ${by}` : `${kind}: ${by}`;
    const attached = files.map(
      (file) => `  [${file.id} ${file.filename}, ${file.content_type}, ${file.size_bytes} bytes]\n`,
    );
    const text = body.replaceAll(/^/gm, '  ');
    return `\n${at.toISOString().slice(0, 16).replace('T', ' ')}Z  ${title}\n${text}\n${attached.join('')}`;
  });
  return `${head}${clean(parts.join(''))}`;
}

interface TextOptions {
  readonly text?: string;
  readonly file?: string;
}

export function addTickets(program: Command, cli: Cli): void {
  const desk = cli.parts.tickets;
  const tickets = program
    .command('tickets')
    .description('tickets of customers: queue, answers, internal notes');

  const textOf = async ({ text, file }: TextOptions): Promise<string> => {
    if ((text === undefined) === (file === undefined))
      throw new Refusal('Say what to write: either --text <text> or --file <file>.', 2);
    if (text !== undefined) return text;
    const path = resolve(cli.io.folder, file ?? '');
    return readFile(path, 'utf8').catch((error: unknown) => {
      throw new Refusal(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  const withText = (command: Command): Command =>
    command.option('--text <text>', 'the text, in Markdown').option('--file <file>', 'a file with the text');

  tickets
    .command('list')
    .description('tickets that have to be worked on, the most urgent first; with --account only those of one')
    .addOption(choice('--status <status>', desk.statuses, 'tickets in this state instead'))
    .option('--assigned-to <person>', 'only those that this person works on')
    .action(
      cli.atDesk<{ status?: string; assignedTo?: string }>(async (given, { status, assignedTo }) => {
        const account = given.options.account === undefined ? undefined : (await chooseAccount(given)).id;
        const found = await desk.list(given.db, {
          ...(status === undefined ? {} : { status }),
          ...(assignedTo === undefined ? {} : { assignedTo }),
          ...(account === undefined ? {} : { account }),
        });
        const rows = found.map((ticket) => ({
          id: ticket.id,
          account: ticket.account_name,
          plan: ticket.support_plan,
          severity: ticket.severity,
          status: ticket.status,
          'answer due': ticket.first_response_at === null ? ticket.first_response_due_at : null,
          'last message': ticket.last_message_at,
          from: ticket.last_message_from,
          assigned: ticket.assigned_to,
          subject: ticket.subject,
        }));
        return { json: found, text: table(rows, 'There are no such tickets.') };
      }),
    );

  tickets
    .command('show')
    .description('a ticket with all its messages and internal notes')
    .argument('<ticket>', TICKET)
    .action(
      cli.atDesk(async ({ db }, _, [id = '']) => {
        const conversation = await desk.show(db, id);
        return { json: conversation, text: written(conversation) };
      }),
    );

  withText(tickets.command('reply'))
    .description('answer the customer, who gets a mail')
    .argument('<ticket>', TICKET)
    .option('--as <name>', "the name that the customer sees (default: the provider's)")
    .option('--ask', 'wait for the reply of the customer')
    .option('--solve', 'the ticket is solved with this answer')
    .action(
      cli.atDesk<TextOptions & { as?: string; ask?: true; solve?: true }>(
        async (staff, options, [id = '']) => {
          if (options.ask && options.solve) throw new Refusal('Use either --ask or --solve.', 2);
          const then = options.ask ? 'waiting_customer' : options.solve ? 'solved' : undefined;
          return shown(await desk.reply(staff, id, { body: await textOf(options), as: options.as, then }));
        },
      ),
    );

  withText(tickets.command('note'))
    .description('write an internal note, which the customer never sees')
    .argument('<ticket>', TICKET)
    .action(
      cli.atDesk<TextOptions>(async (staff, options, [id = '']) => {
        await desk.note(staff, id, await textOf(options));
        return { json: { ticket: id }, text: 'The note was written.\n' };
      }),
    );

  tickets
    .command('assign')
    .description('say who works on it; the customer sees the team, never the person')
    .argument('<ticket>', TICKET)
    .argument('[person]', 'default: you')
    .option('--team <team>', 'the team that the customer sees')
    .option('--nobody', 'nobody works on it any more')
    .action(
      cli.atDesk<{ team?: string; nobody?: true }>(async (staff, { team, nobody }, [id = '', person]) => {
        const to = { person: nobody ? null : (person ?? staff.actor.name), team };
        return shown(await desk.assign(staff, id, to));
      }),
    );

  tickets
    .command('solve')
    .description('the ticket is solved; a reply of the customer opens it again')
    .argument('<ticket>', TICKET)
    .action(cli.atDesk(async (staff, _, [id = '']) => shown(await desk.solve(staff, id))));

  tickets
    .command('download')
    .description('save a file that the customer sent; it was checked for its type, not for viruses')
    .argument('<file>', 'the id of the file (att_…)')
    .requiredOption('--out <path>', 'where to save it')
    .action(
      cli.atDesk<{ out: string }>(async (staff, { out }, [id = '']) => {
        const { filename, content_type, bytes } = await desk.readFile(staff, id);
        const path = resolve(cli.io.folder, out);
        await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
        const saved = { file: path, filename, content_type, bytes: bytes.length };
        return { json: saved, text: facts(saved) };
      }),
    );
}
