/** The rows that make up the interfaces of a new machine, in the order in which its guest sees them. */
import { randomBytes } from 'node:crypto';
import { newId } from '../../../../kernel/ids.ts';
import { Problem } from '../../../../kernel/problems/problem.ts';
import type { Db } from '../../../../store/database.ts';
import { addressAt } from '../../networks/addresses.ts';
import { pickFreeAddress } from '../../networks/store.ts';
import type { NetworkRow } from '../../tables.ts';
import type { Connection } from './networks.ts';
import { holdAddresses, insertInterfaces } from './store.ts';

const PUBLIC_MTU = 1500;

/** Locally administered, unicast. */
export function newMac(): string {
  const bytes = randomBytes(5);
  return `02:${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
}

interface Machine {
  readonly vmId: string;
  readonly accountId: string;
}

/** The public one comes first; it is there only if the machine has a public address. */
export async function addPublicInterface(db: Db, { vmId, accountId }: Machine): Promise<string> {
  const id = newId('interface');
  await insertInterfaces(db, [
    {
      id,
      account_id: accountId,
      vm_id: vmId,
      kind: 'public',
      network_id: null,
      mac: newMac(),
      position: 0,
      mtu: PUBLIC_MTU,
      status: 'attaching',
    },
  ]);
  return id;
}

const toNumber = (ipv4: string): number =>
  ipv4.split('.').reduce((value, part) => value * 256 + Number(part), 0);

/** The same place in the IPv6 range as its IPv4 address has in the other: free wherever that one is. */
export function matchingIpv6(
  { ipv4_cidr, ipv6_cidr }: Pick<NetworkRow, 'ipv4_cidr' | 'ipv6_cidr'>,
  ipv4: string,
): string | null {
  if (ipv6_cidr === null) return null;
  const [base = ''] = ipv4_cidr.split('/');
  return addressAt(ipv6_cidr, toNumber(ipv4) - toNumber(base));
}

function taken(addresses: readonly string[]): Problem {
  return new Problem('address_taken', { detail: `Another machine has ${addresses.join(' or ')}.` });
}

/** Each with the address that was asked for, or the lowest that is free. */
export async function addPrivateInterface(
  db: Db,
  { vmId, accountId }: Machine,
  { network, ipv4, aliases }: Connection,
  position: number,
): Promise<string> {
  const id = newId('interface');
  await insertInterfaces(db, [
    {
      id,
      account_id: accountId,
      vm_id: vmId,
      kind: 'private',
      network_id: network.id,
      mac: newMac(),
      position,
      mtu: network.mtu,
      status: 'attaching',
    },
  ]);
  const own = ipv4 ?? (await pickFreeAddress(db, network));
  if (own === null) {
    const detail = `All addresses of the network ${network.name} are in use.`;
    throw new Problem('quota_exceeded', {
      detail,
      extra: { limit_id: 'flexible-vps.networks', limit: 0, used: 0, requested: 1 },
    });
  }
  const ipv6 = matchingIpv6(network, own);
  const rows = [
    { network_id: network.id, address: own, interface_id: id, role: 'ipv4' as const },
    ...(ipv6 === null
      ? []
      : [{ network_id: network.id, address: ipv6, interface_id: id, role: 'ipv6' as const }]),
    ...aliases.map((address) => ({
      network_id: network.id,
      address,
      interface_id: id,
      role: 'alias' as const,
    })),
  ];
  if (!(await holdAddresses(db, rows))) throw taken([own, ...aliases]);
  return id;
}
