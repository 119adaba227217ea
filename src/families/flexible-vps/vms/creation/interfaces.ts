/** Creates the interfaces of a new machine, in the order in which its guest sees them. */
import { attachAddresses } from '../../../../resources/addresses/store.ts';
import type { Db } from '../../../../store/database.ts';
import { addInterface } from '../../interfaces/network-membership.ts';
import { holdAliases, holdOwn } from '../../interfaces/private-addresses.ts';
import type { InterfaceRow } from '../../interfaces/table.ts';
import type { VmRow } from '../table.ts';
import type { VmPlan } from './plan-vm.ts';

/** The public interface comes first. It exists only if the machine has a public address. */
export async function connect(
  db: Db,
  vm: VmRow,
  { blocks, connections }: Pick<VmPlan, 'blocks' | 'connections'>,
): Promise<void> {
  const present: InterfaceRow[] = [];
  const held = [blocks.ipv4, blocks.ipv6].filter((block) => block !== null);
  if (held.length > 0) {
    const front = await addInterface(db, vm, present, null);
    const ids = held.map(({ id }) => id);
    await attachAddresses(db, ids, { vmId: vm.id, interfaceId: front.id });
    present.push(front);
  }
  for (const { network, wanted } of connections) {
    const row = await addInterface(db, vm, present, network);
    await holdOwn(db, network, row, wanted);
    await holdAliases(db, { network, id: row.id }, wanted.aliases, false);
    present.push(row);
  }
}
