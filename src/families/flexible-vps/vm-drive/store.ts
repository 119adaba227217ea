import { sql } from 'kysely';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import type { Db } from '../../../store/database.ts';

/** The last operation in the queue of the machine that changes its drive. */
export async function lastDriveChange(db: Db, vmId: string): Promise<StoredOperation | undefined> {
  const { rows } = await sql<StoredOperation>`
    select o.* from operation_subjects s join operations o on o.id = s.operation_id
    where s.subject = ${vmId} and o.type = 'vm.set_iso' order by s.place desc limit 1`.execute(db);
  return rows[0];
}
