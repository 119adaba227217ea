import { Problem } from '../../../kernel/problems/problem.ts';
import type { TicketStatus } from './lifecycle.ts';
import type { TicketRow } from './table.ts';
import { reopenUntil } from './times.ts';

/** Whether nobody works on it any more, so that a reply opens it again. */
export const isOver = (status: TicketStatus): boolean => status === 'solved' || status === 'closed';

/** Throws 409 if the ticket was closed so long ago that it stays closed. */
export function requireReopenable({ status, closed_at }: TicketRow, now: Date): void {
  if (status !== 'closed' || closed_at === null || now <= reopenUntil(closed_at)) return;
  throw new Problem('ticket_closed', {
    detail: `The ticket could be opened again until ${reopenUntil(closed_at).toISOString()}.`,
  });
}
