/**
 * What cloud-init is told of the interfaces, as netplan writes it: images know by themselves only how to ask for IPv4 on
 * the first one. Addresses that are routed here beside its own are for whoever owns the guest to use.
 */
import type { Nic } from '../instance.ts';
import type { IncusSettings } from './settings.ts';

/** Where the engine has it for the templates of images and for the drive of virtual machines. */
export const NETWORK_CONFIG = 'cloud-init.network-config';

const PREFIX = 64;
/** Of routes that DHCP tells of: the way out is by the public interface, where it has an address. */
const METRICS = { public: 100, private: 1000 } as const;

const isPublic = ({ network }: Nic): boolean => network === null;

/** JSON is YAML too, and takes no hardware address for a number. */
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
 * Those of virtual machines have other names until they are told. Those of containers come with theirs, and have no
 * hardware address that netplan takes for one: matched by it, it would find none of them.
 */
const matchOf = ({ mac }: Nic, name: string) => ({
  match: { macaddress: mac.toLowerCase() },
  'set-name': name,
});

interface Role {
  /** A guest waits for it when it starts, and for no other. */
  readonly isFirst: boolean;
  /** Where it hears of its IPv6 router. With two of them it would take either. */
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
