import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import type { InterfaceRow } from '../tables.ts';
import type { InterfaceAddresses } from './schema.ts';

export interface AddressedInterface extends InterfaceRow {
  readonly addresses: InterfaceAddresses;
}

/** In the order in which the guests see them. Public ones have their addresses in `public_addresses`. */
export async function readInterfaces(db: Db, vmIds: readonly string[]): Promise<AddressedInterface[]> {
  if (vmIds.length === 0) return [];
  const rows = await db
    .selectFrom('vm_interfaces')
    .selectAll('vm_interfaces')
    .select((inner) => [
      inner
        .selectFrom('network_addresses')
        .select(
          sql<
            { address: string; role: string }[]
          >`coalesce(json_agg(json_build_object('address', host(address), 'role', role) order by address), '[]')`.as(
            'held',
          ),
        )
        .whereRef('network_addresses.interface_id', '=', 'vm_interfaces.id')
        .as('private_addresses'),
      inner
        .selectFrom('public_addresses')
        .select(
          sql<
            { address: string; version: number; prefix: number }[]
          >`coalesce(json_agg(json_build_object('address', host(block), 'version', family(block),
              'prefix', masklen(block)) order by kind, id), '[]')`.as('held'),
        )
        .whereRef('public_addresses.interface_id', '=', 'vm_interfaces.id')
        .as('public_blocks'),
    ])
    .where(sql<boolean>`vm_id = any(${[...vmIds]}::text[])`)
    .orderBy('vm_id')
    .orderBy('position')
    .execute();
  return rows.map(({ private_addresses, public_blocks, ...row }) => ({
    ...row,
    addresses:
      row.kind === 'private'
        ? privateAddresses(private_addresses ?? [])
        : publicAddresses(public_blocks ?? []),
  }));
}

function privateAddresses(held: readonly { address: string; role: string }[]): InterfaceAddresses {
  const of = (role: string): string | null => held.find((each) => each.role === role)?.address ?? null;
  return {
    ipv4: of('ipv4'),
    ipv6: of('ipv6'),
    aliases: held.filter(({ role }) => role === 'alias').map(({ address }) => address),
  };
}

/** The first of each version is what the guest is configured with; of a /64 that is its first address. */
function publicAddresses(
  held: readonly { address: string; version: number; prefix: number }[],
): InterfaceAddresses {
  const [ipv4, ...more4] = held.filter(({ version }) => version === 4);
  const [ipv6, ...more6] = held.filter(({ version }) => version === 6);
  return {
    ipv4: ipv4?.address ?? null,
    ipv6: ipv6 === undefined ? null : firstOf(ipv6.address),
    aliases: [...more4.map(({ address }) => address), ...more6.map(({ address }) => firstOf(address))],
  };
}

/** `2001:db8:1::` as PostgreSQL writes the beginning of a prefix: its first address ends in 1. */
const firstOf = (prefix: string): string => `${prefix.replace(/::$/, '')}::1`;
