/** Restores the aliases and settings of interfaces after a change failed. */
import { Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Db } from '../../../store/database.ts';
import {
  dropAliases,
  holdAddresses,
  moveAliases,
  readAliases,
  readInterface,
  updateInterface,
} from '../interfaces/store.ts';
import type { InterfaceRow } from '../interfaces/table.ts';
import { updateVm } from '../vms/store.ts';

/** Aliases that were taken over from this interface. */
export const Taken = Shape({ interface_id: Type.String(), addresses: Type.Array(Type.String()) });

export const Settings = Shape({
  alias_ips: Type.Array(Type.String()),
  anti_spoofing: Type.Boolean(),
  description: Type.String(),
});
export type Settings = Static<typeof Settings>;

/** Moves the taken aliases back to their interfaces, unless those were deleted. */
export async function giveBack(
  tx: Db,
  row: Pick<InterfaceRow, 'id'>,
  taken: readonly Static<typeof Taken>[],
): Promise<void> {
  for (const { interface_id, addresses } of taken) {
    const from = await readInterface(tx, interface_id);
    if (from === undefined) continue;
    await updateVm(tx, from.vm_id, {});
    await moveAliases(tx, row.id, from.id, addresses);
    await updateInterface(tx, from.id, {});
  }
}

/** Restores the settings from before the change. An old alias that another interface has by now stays there. */
export async function putBack(tx: Db, row: InterfaceRow, { alias_ips, ...before }: Settings): Promise<void> {
  const now = await readAliases(tx, row.id);
  await dropAliases(
    tx,
    row.id,
    now.filter((address) => !alias_ips.includes(address)),
  );
  const { network_id } = row;
  if (network_id !== null) {
    const rows = alias_ips.map((address) => ({
      network_id,
      address,
      interface_id: row.id,
      role: 'alias' as const,
    }));
    await holdAddresses(tx, rows);
  }
  await updateInterface(tx, row.id, { ...before, status: 'active' });
}
