/** Failed images and ISOs are kept for some days, so that their owner can read the reason. */
import type { Kind } from '../../../kernel/operations/kind.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Owned } from '../../../resources/owned/owned.ts';
import { deleteDue } from '../../../resources/records/deletion.ts';
import type { OfferedTable } from '../catalog/store.ts';
import { lockFailed, readStale } from './store.ts';

export const KEPT_DAYS = 7;

/** For schedules: starts the deletion of those that failed too long ago. */
export async function deleteFailed<T extends OfferedTable>(
  services: Services,
  table: T,
  source: Owned<T, string>,
  kind: Kind<Record<never, never>>,
): Promise<void> {
  const due = await readStale(services.db, table, KEPT_DAYS);
  await deleteDue(services, source, { kind, input: () => ({}) }, due, (tx, id) => lockFailed(tx, table, id));
}
