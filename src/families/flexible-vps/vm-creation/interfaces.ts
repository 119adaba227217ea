/** Connects a new machine to its private networks. */
import type { Db } from '../../../store/database.ts';
import { addInterface } from '../interface-changes/network-membership.ts';
import { holdAliases, holdOwn } from '../interface-changes/private-addresses.ts';
import type { InterfaceRow } from '../interfaces/table.ts';
import type { VmRow } from '../vms/table.ts';
import type { Connection } from './networks.ts';

type Position = Pick<InterfaceRow, 'position'>;

/** The guest sees the private interfaces after the public one, in the order of the request. */
export async function connect(
  db: Db,
  vm: VmRow,
  front: Position | null,
  connections: readonly Connection[],
): Promise<void> {
  const present: Position[] = front === null ? [] : [front];
  for (const { network, wanted } of connections) {
    const row = await addInterface(db, vm, present, network);
    await holdOwn(db, network, row, wanted);
    await holdAliases(db, { network, id: row.id }, wanted.aliases, false);
    present.push(row);
  }
}
