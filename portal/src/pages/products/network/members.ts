/** Who is in a private network, from its addresses in use. */
import type { Network } from '../../../../../src/families/flexible-vps/networks/schema.ts';

type Use = NonNullable<Network['in_use']>[number];

export interface Member {
  readonly key: string;
  readonly type: Use['type'];
  /** The id of the machine or of the VPN gateway. */
  readonly id: string;
  readonly interfaceId: string | null;
  readonly addresses: readonly string[];
}

/** One for each interface: a machine has all its addresses there in one row. */
export function membersOf(uses: readonly Use[]): readonly Member[] {
  const found = new Map<string, Member>();
  for (const { address, type, id, interface_id } of uses) {
    const key = interface_id ?? `${type} ${id}`;
    const addresses = [...(found.get(key)?.addresses ?? []), address];
    found.set(key, { key, type, id, interfaceId: interface_id, addresses });
  }
  return [...found.values()];
}
