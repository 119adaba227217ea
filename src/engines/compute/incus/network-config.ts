/**
 * The network configuration for cloud-init, in netplan format. Without it, images use only DHCP for IPv4 on the first
 * interface. Aliases are routed to the interface, but the owner of the guest configures them.
 */
import type { Nic } from '../instance.ts';
import type { IncusSettings } from './settings.ts';

/** The engine's key from which image templates and the config drive of virtual machines read this text. */
export const NETWORK_CONFIG = 'cloud-init.network-config';

const PREFIX = 64;
/** Metrics of routes learned by DHCP: outbound traffic uses the public interface if it has an address. */
const METRICS = { public: 100, private: 1000 } as const;

const isPublic = ({ network }: Nic): boolean => network === null;

/** JSON is valid YAML, and its quotes keep a hardware address from being parsed as a number. */
export function networkConfig(nics: readonly Nic[], type: IncusSettings['instanceType']): string {
  const ordered = nics.toSorted((a, b) => a.index - b.index);
  const withIpv6 = ordered.filter(({ ipv6 }) => ipv6 !== null);
  const gateway = withIpv6.find(isPublic) ?? withIpv6[0];
  const lines = ordered.map((nic, place) => {
    const name = `eth${nic.index}`;
    const role = { isFirst: place === 0, isGateway: nic === gateway };
    const told = { ...(type === 'container' ? {} : matchOf(nic, name)), ...ethernetOf(nic, role) };
    return `  ${name}: ${JSON.stringify(told)}`;
  });
  return ['version: 2', lines.length === 0 ? 'ethernets: {}' : 'ethernets:', ...lines, ''].join('\n');
}

/**
 * Interfaces of virtual machines have other names until they are renamed here. Interfaces of containers already have
 * their names, and netplan does not recognize their hardware address, so a match by address would find none.
 */
const matchOf = ({ mac }: Nic, name: string) => ({
  match: { macaddress: mac.toLowerCase() },
  'set-name': name,
});

interface Role {
  /** The guest waits for this interface at startup, and for no other. */
  readonly isFirst: boolean;
  /**
   * The guest accepts router advertisements here. With two such interfaces it could use either as its IPv6 gateway.
   */
  readonly isGateway: boolean;
}

function ethernetOf(nic: Nic, { isFirst, isGateway }: Role): object {
  const { ipv4, ipv6, index } = nic;
  const metric = METRICS[isPublic(nic) ? 'public' : 'private'] + index;
  return {
    dhcp4: ipv4 !== null,
    ...(ipv4 === null ? {} : { 'dhcp4-overrides': { 'route-metric': metric } }),
    'accept-ra': isGateway,
    ...(ipv6 === null ? {} : { addresses: [`${ipv6}/${PREFIX}`] }),
    ...(isFirst ? {} : { optional: true }),
  };
}
