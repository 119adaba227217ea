import type { Db } from '../../../store/database.ts';
import type { VmRow } from '../vms/table.ts';

export function findMachine(db: Db, accountId: string, id: string): Promise<VmRow | undefined> {
  return db
    .selectFrom('vms')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}
