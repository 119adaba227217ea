import { sql } from 'kysely';
import type { OperationError, OperationStatus } from '../../../kernel/operations/schema.ts';
import type { Selector } from '../../../kernel/pages/label-selector.ts';
import { labelsMatch } from '../../../kernel/pages/store.ts';
import type { Db } from '../../../store/database.ts';
import type { VmRow } from '../vms/table.ts';

export type Target = Pick<VmRow, 'id' | 'name'>;

/** Returns the hosts of these machines. Machines that have no host yet are left out. */
export async function hostGroupsOf(db: Db, vmIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('vms')
    .select('host_group')
    .where(sql<boolean>`id = any(${[...vmIds]}::text[])`)
    .where('host_group', 'is not', null)
    .execute();
  return rows.flatMap(({ host_group }) => host_group ?? []);
}

/** Leaves out ids that belong to another account. */
export function findTargets(db: Db, accountId: string, ids: readonly string[]): Promise<VmRow[]> {
  return db
    .selectFrom('vms')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .orderBy('id')
    .execute();
}

export function selectTargets(
  db: Db,
  accountId: string,
  selector: Selector,
  limit: number,
): Promise<VmRow[]> {
  return db
    .selectFrom('vms')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(labelsMatch(sql.ref('vms.labels'), selector))
    .orderBy('id')
    .limit(limit)
    .execute();
}

export interface Child {
  readonly vmId: string | null;
  readonly status: OperationStatus;
  readonly error: OperationError | null;
}

export async function readChildren(db: Db, operationId: string): Promise<Child[]> {
  const rows = await db
    .selectFrom('operations')
    .select(['resource_id', 'status', 'error'])
    .where('parent_id', '=', operationId)
    .orderBy('id')
    .execute();
  return rows.map(({ resource_id, status, error }) => ({ vmId: resource_id, status, error }));
}
