import { noteResource } from '../../../kernel/inventory/store.ts';
import type { Db } from '../../../store/database.ts';
import type { VmRow } from '../tables.ts';

/** A machine that is again as it was: only its status is news, and what it costs did not change. */
export async function noteFormer(db: Db, row: VmRow): Promise<void> {
  await noteResource(db, {
    id: row.id,
    account_id: row.account_id,
    family: 'flexible-vps',
    type: 'vm',
    name: row.name,
    status: row.status,
    location: row.location,
    labels: row.labels,
    parent_id: null,
  });
}
