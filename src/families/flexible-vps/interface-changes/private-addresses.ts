/** Checks and assigns the addresses of an interface in a private network. Callers hold the lock of the network. */
import { parseAddress } from '../../../kernel/net/address.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import type { Static } from '../../../kernel/schema.ts';
import type { Db } from '../../../store/database.ts';
import { placeIn64 } from '../interfaces/macs.ts';
import { type Holder, holdAddresses, moveAliases, readHolders } from '../interfaces/store.ts';
import { addressAt, isUsable, usableIn } from '../networks/addresses.ts';
import { pickFreeAddress } from '../networks/store.ts';
import type { NetworkRow } from '../networks/table.ts';
import type { Taken } from './previous-settings.ts';

export interface Wanted {
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  readonly aliases: readonly string[];
}

interface Asked {
  readonly ipv4?: string | undefined;
  readonly ipv6?: string | undefined;
  readonly alias_ips?: readonly string[] | undefined;
}

const faultOf = (pointer: string, code: FieldError['code'], detail: string): FieldError => ({
  pointer,
  code,
  detail,
});

function checkOne(
  network: NetworkRow,
  text: string,
  pointer: string,
  versions: readonly (4 | 6)[],
): FieldError | null {
  const parsed = parseAddress(text);
  if (parsed === null || !versions.includes(parsed.family))
    return faultOf(pointer, 'invalid_format', `Write an IPv${versions.join(' or IPv')} address.`);
  const cidr = parsed.family === 4 ? network.ipv4_cidr : network.ipv6_cidr;
  if (cidr === null) return faultOf(pointer, 'out_of_range', 'The network has no IPv6 addresses.');
  return isUsable(cidr, text)
    ? null
    : faultOf(
        pointer,
        'out_of_range',
        `Machines cannot use this address; choose one in ${cidr} that is not reserved.`,
      );
}

const canonical = (text: string): string => parseAddress(text)?.text ?? text;

/** Returns the addresses in canonical form. Throws 422 unless machines in this network can use each of them. */
export function checkAddresses(network: NetworkRow, { ipv4, ipv6, alias_ips = [] }: Asked): Wanted {
  const aliases = alias_ips.map(canonical);
  const own = [ipv4, ipv6].flatMap((text) => (text === undefined ? [] : canonical(text)));
  const faults = [
    ...(ipv4 === undefined ? [] : [checkOne(network, ipv4, '/ipv4', [4])]),
    ...(ipv6 === undefined ? [] : [checkOne(network, ipv6, '/ipv6', [6])]),
    ...alias_ips.map((text, n) => checkOne(network, text, `/alias_ips/${n}`, [4, 6])),
    ...aliases.map((text, n) =>
      own.includes(text) || aliases.indexOf(text) < n
        ? faultOf(`/alias_ips/${n}`, 'not_unique', `${text} is named twice.`)
        : null,
    ),
  ].filter((fault) => fault !== null);
  if (faults.length > 0) throw invalid(faults);
  return {
    ipv4: ipv4 === undefined ? null : canonical(ipv4),
    ipv6: ipv6 === undefined ? null : canonical(ipv6),
    aliases,
  };
}

/** The valid addresses among the aliases, for queries that run before the aliases are checked. */
export const readableAliases = (alias_ips: readonly string[] = []): string[] =>
  alias_ips.flatMap((text) => parseAddress(text)?.text ?? []);

const MOVE = 'Choose another address, or set `move_aliases` to take it over.';

const heldBy = ({ address, vm_id, interface_id, gateway_id }: Holder, isMovable = false): Problem =>
  new Problem('address_taken', {
    detail:
      gateway_id === null
        ? `The interface ${interface_id} of the machine ${vm_id} has ${address}.`
        : `The VPN gateway ${gateway_id} has ${address}.`,
    ...(isMovable ? { nextStep: MOVE } : {}),
    extra: { existing_id: interface_id ?? gateway_id },
  });

/**
 * Assigns these aliases to the interface. Aliases of other interfaces are taken over only if `mayMove` is set.
 * Returns the interfaces that lost aliases.
 */
export async function holdAliases(
  db: Db,
  { network, id }: { readonly network: NetworkRow; readonly id: string },
  aliases: readonly string[],
  mayMove: boolean,
): Promise<Static<typeof Taken>[]> {
  const holders = (await readHolders(db, network.id, aliases)).filter((each) => each.interface_id !== id);
  const stays = holders.find(({ role }) => role !== 'alias' || !mayMove);
  if (stays !== undefined) throw heldBy(stays, stays.role === 'alias');
  const taken = [...new Set(holders.flatMap(({ interface_id }) => interface_id ?? []))].map(
    (interface_id) => ({
      interface_id,
      addresses: holders.filter((each) => each.interface_id === interface_id).map(({ address }) => address),
    }),
  );
  for (const { interface_id, addresses } of taken) await moveAliases(db, interface_id, id, addresses);
  const rows = aliases.map((address) => ({
    network_id: network.id,
    address,
    interface_id: id,
    role: 'alias' as const,
  }));
  await holdAddresses(db, rows);
  return taken;
}

function full({ name, ipv4_cidr }: NetworkRow): Problem {
  const limit = Number(usableIn(ipv4_cidr));
  return new Problem('quota_exceeded', {
    detail: `All addresses of the network ${name} are in use.`,
    nextStep: 'Detach machines that no longer need an address, or use a network with a larger range.',
    extra: { limit_id: 'flexible-vps.addresses-per-network', limit, used: limit, requested: 1 },
  });
}

/** An interface of a machine, or of a VPN gateway. */
type Taker = { readonly mac: string } & ({ readonly id: string } | { readonly gatewayId: string });

/** Assigns the wanted addresses. The defaults are the lowest free IPv4 and the IPv6 derived from the MAC. */
export async function holdOwn(
  db: Db,
  network: NetworkRow,
  taker: Taker,
  wanted: Pick<Wanted, 'ipv4' | 'ipv6'>,
): Promise<void> {
  const ipv4 = wanted.ipv4 ?? (await pickFreeAddress(db, network));
  if (ipv4 === null) throw full(network);
  const ipv6 =
    wanted.ipv6 ?? (network.ipv6_cidr === null ? null : addressAt(network.ipv6_cidr, placeIn64(taker.mac)));
  const own = [ipv4, ...(ipv6 === null ? [] : [ipv6])];
  const [holder] = await readHolders(db, network.id, own);
  if (holder !== undefined) throw heldBy(holder);
  const roles = ['ipv4', 'ipv6'] as const;
  await holdAddresses(
    db,
    own.map((address, n) => ({
      network_id: network.id,
      address,
      ...('id' in taker ? { interface_id: taker.id } : { interface_id: null, gateway_id: taker.gatewayId }),
      role: roles[n] ?? 'ipv6',
    })),
  );
}
