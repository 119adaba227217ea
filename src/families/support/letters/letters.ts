/** Mails about a ticket, to whoever opened it and to those who get copies. */
import { sendMail } from '../../../mail/outbox.ts';
import type { MailData, TemplateName } from '../../../mail/templates.ts';
import { portalOriginOf } from '../../../provider/portal-address.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import type { Tx } from '../../../store/database.ts';
import type { TicketRow } from '../tickets/table.ts';
import { readersOf } from './store.ts';

type About = 'name' | 'number' | 'subject' | 'link';
type TicketTemplate = Extract<TemplateName, `ticket_${string}`>;

export async function mailReaders<T extends TicketTemplate>(
  tx: Tx,
  provider: ProviderConfig,
  ticket: TicketRow,
  template: T,
  more: Omit<MailData<T>, About>,
): Promise<void> {
  const { number, subject } = ticket;
  const link = `${portalOriginOf(provider)}/portal/r/${ticket.id}`;
  for (const { name, email } of await readersOf(tx, ticket)) {
    const data = { name, number, subject, link, ...more };
    await sendMail(tx, { to: email, template, data } as unknown as Parameters<typeof sendMail>[1]);
  }
}
