/** The addresses of an interface, from the rows of the tables that hold them. */
import type { InterfaceAddresses } from './schema.ts';

export interface PublicBlock {
  readonly address: string;
  readonly version: number;
  readonly prefix: number;
  readonly is_dropped?: boolean;
}

export function privateAddresses(held: readonly { address: string; role: string }[]): InterfaceAddresses {
  const of = (role: string): string | null => held.find((each) => each.role === role)?.address ?? null;
  return {
    ipv4: of('ipv4'),
    ipv6: of('ipv6'),
    aliases: held.filter(({ role }) => role === 'alias').map(({ address }) => address),
  };
}

/** The guest is configured with the first address of each IP version; for a /64, with the first address in it. */
export function publicAddresses(held: readonly PublicBlock[]): InterfaceAddresses {
  const [ipv4, ...more4] = held.filter(({ version }) => version === 4);
  const [ipv6, ...more6] = held.filter(({ version }) => version === 6);
  return {
    ipv4: ipv4?.address ?? null,
    ipv6: ipv6 === undefined ? null : firstOf(ipv6.address),
    aliases: [...more4.map(({ address }) => address), ...more6.map(({ address }) => firstOf(address))],
  };
}

/** The others keep their place: what the guest is configured with does not change while traffic is dropped. */
export function withoutDropped(
  { ipv4, ipv6, aliases }: InterfaceAddresses,
  held: readonly PublicBlock[],
): InterfaceAddresses {
  const dropped = held
    .filter(({ is_dropped }) => is_dropped)
    .map(({ address, version }) => (version === 6 ? firstOf(address) : address));
  const kept = (address: string | null) => (address !== null && dropped.includes(address) ? null : address);
  return {
    ipv4: kept(ipv4),
    ipv6: kept(ipv6),
    aliases: aliases.filter((alias) => !dropped.includes(alias)),
  };
}

/** PostgreSQL writes the start of a prefix as `2001:db8:1::`; the first address in it ends in 1. */
const firstOf = (prefix: string): string => `${prefix.replace(/::$/, '')}::1`;
