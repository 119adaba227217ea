/** The mails about tickets. Their whole texts are in the portal, which only members can read. */
import { template } from './template.ts';
import { at, quoted, type Time } from './words.ts';

/** A ticket, and a member who gets its mails. */
interface TicketMail {
  readonly name: string;
  readonly number: number;
  readonly subject: string;
  readonly link: string;
}

const TICKET_READER =
  'You get this mail because you opened the ticket, or because a member of your account wants you to have copies.';

export const ticketTemplates = {
  /** `excerpt`: how the answer begins. */
  ticket_answered: template<TicketMail & { excerpt: string; waits: boolean }>({
    write: (ticket, { provider }) => ({
      subject: `${provider} answered your ticket ${ticket.number}`,
      paragraphs: [
        `Hello ${quoted(ticket.name)},`,
        `there is an answer to your ticket ${ticket.number}, "${quoted(ticket.subject)}". It begins:`,
        `"${quoted(ticket.excerpt)}"`,
        ...(ticket.waits ? ['We need something from you to go on. Please reply.'] : []),
      ],
      button: { label: 'Read the answer', link: ticket.link },
      unexpected: TICKET_READER,
    }),
  }),

  ticket_reminder: template<TicketMail & { solved_at: Time }>({
    write: (ticket, { provider }) => ({
      subject: `Your ticket ${ticket.number} at ${provider} waits for you`,
      paragraphs: [
        `Hello ${quoted(ticket.name)},`,
        `we asked you something in your ticket ${ticket.number}, "${quoted(ticket.subject)}", and wait for your reply.`,
        `Without a reply it counts as solved on ${at(ticket.solved_at)}.`,
      ],
      button: { label: 'Reply', link: ticket.link },
      unexpected: TICKET_READER,
    }),
  }),

  /** `by`: the staff said so, or nobody replied for long. */
  ticket_solved: template<TicketMail & { by: 'staff' | 'silence'; days: number }>({
    write: (ticket, { provider }) => ({
      subject: `Your ticket ${ticket.number} at ${provider} is solved`,
      paragraphs: [
        `Hello ${quoted(ticket.name)},`,
        ticket.by === 'staff'
          ? `we consider your ticket ${ticket.number}, "${quoted(ticket.subject)}", solved.`
          : `your ticket ${ticket.number}, "${quoted(ticket.subject)}", waited for your reply and now counts as solved.`,
        `If it is not, reply: that opens it again. Otherwise it is closed after ${ticket.days} days.`,
      ],
      button: { label: 'See the ticket', link: ticket.link },
      unexpected: TICKET_READER,
    }),
  }),

  ticket_closed: template<TicketMail & { reopen_until: Time }>({
    write: (ticket, { provider }) => ({
      subject: `Your ticket ${ticket.number} at ${provider} was closed`,
      paragraphs: [
        `Hello ${quoted(ticket.name)},`,
        `your solved ticket ${ticket.number}, "${quoted(ticket.subject)}", was closed.`,
        `A reply opens it again until ${at(ticket.reopen_until)}.`,
      ],
      button: { label: 'See the ticket', link: ticket.link },
      unexpected: TICKET_READER,
    }),
  }),
} as const;
