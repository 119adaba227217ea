/** Reports by how much a call is going to change the cost of owned resources. */
import type { Call } from '../../kernel/call.ts';
import { type Changing, costChanges } from '../inventory/cost.ts';
import type { Definition } from './definition.ts';
import { columnsOf } from './store.ts';
import type { OwnedTableName, RowOf } from './table.ts';

export type Payer = Pick<Call, 'db' | 'services' | 'now' | 'cost'>;

type Priced<T extends OwnedTableName> = Pick<
  Definition<T, string, object>,
  'type' | 'inventory' | 'pricedAs'
>;

/** Prices the rows as the meter will price them: by the inventory entry that they will have. */
export async function reportCost<T extends OwnedTableName>(
  { db, services, now, cost }: Payer,
  { type, inventory, pricedAs = type }: Priced<T>,
  rows: readonly RowOf<T>[],
  after: Partial<RowOf<T>> | null,
  isNew: boolean,
): Promise<void> {
  if (inventory === undefined) return;
  const changing: Changing[] = [];
  for (const row of rows) {
    const { id, labels } = columnsOf(row);
    const entry = (after === null ? null : await inventory({ ...row, ...after }, db)) ?? {};
    if (entry.keepsPrice) continue;
    const { configuration = null, is_stopped: isStopped = false } = entry;
    changing.push({ id, labels, after: configuration && { pricedAs, configuration, isStopped } });
  }
  for (const change of await costChanges(db, services, changing, now, isNew))
    if (change.hourly !== 0n || change.monthly !== 0n) cost(change);
}
