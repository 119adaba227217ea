import type { Db } from '../../../store/database.ts';
import type { TicketRow } from '../tickets/table.ts';

export interface Reader {
  readonly name: string;
  readonly email: string;
}

/** The member who opened the ticket and those who get copies. If nobody of them is left: the owners of the account. */
export async function readersOf(
  db: Db,
  { account_id, created_by, cc_member_ids }: Pick<TicketRow, 'account_id' | 'created_by' | 'cc_member_ids'>,
): Promise<Reader[]> {
  const ids = [...cc_member_ids, ...(created_by.member_id === null ? [] : [created_by.member_id])];
  const active = db
    .selectFrom('members')
    .select(['name', 'email'])
    .where('account_id', '=', account_id)
    .where('status', '=', 'active')
    .orderBy('id');
  const readers = ids.length === 0 ? [] : await active.where('id', 'in', ids).execute();
  return readers.length > 0 ? readers : active.where('role', '=', 'owner').execute();
}
