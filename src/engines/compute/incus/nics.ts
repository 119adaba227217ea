/**
 * The network interfaces of a machine: one device each, named by our id. Fields that the engine does not store are
 * kept in the configuration of the machine, not of the device, because any change of a device's own keys re-plugs it.
 */
import { parseAddress } from '../../../kernel/net/address.ts';
import { type Cidr, cidrContains, parseCidr } from '../../../kernel/net/cidr.ts';
import type { Nic, Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { type Changeable, changeInstance, findRaw, type Site } from './driver-context.ts';
import { networkNameOf } from './names.ts';
import { NETWORK_CONFIG, networkConfig } from './network-config.ts';
import { whileJoining } from './network-lock.ts';
import { nicsOf, noteOf } from './nic-notes.ts';
import { forgetPorts, guardPort, securePorts } from './ovn/ports.ts';
import { pastLeftRoutes } from './routes.ts';

type Strings = Readonly<Record<string, string>>;

type Place = Pick<Site, 'settings' | 'networks'>;

function networkOf({ settings, networks }: Place, { account }: Ref, { network }: Nic): string {
  return network === null ? settings.publicNetwork : networkNameOf({ account, id: network }, networks.type);
}

function deviceOf(site: Place, ref: Ref, nic: Nic): Strings {
  const isOnBridge = nic.network === null || site.networks.type === 'bridge';
  return {
    type: 'nic',
    network: networkOf(site, ref, nic),
    name: `eth${nic.index}`,
    hwaddr: nic.mac,
    ...(isOnBridge ? filtered(nic) : unfiltered(nic)),
  };
}

/**
 * In a network of OVN, aliases need no route, and rules of ours filter addresses (`ovn/anti-spoofing.ts`). The engine
 * accepts `none` for both families only.
 */
const unfiltered = ({ ipv4, ipv6 }: Nic): Strings =>
  ipv4 === null
    ? { 'ipv4.address': 'none', 'ipv6.address': 'none' }
    : { 'ipv4.address': ipv4, ...(ipv6 === null ? {} : { 'ipv6.address': ipv6 }) };

const filtered = (nic: Nic): Strings => ({
  ...addressing('ipv4', nic),
  ...addressing('ipv6', nic),
  ...(nic.antiSpoofing ? { 'security.mac_filtering': 'true' } : {}),
});

const BITS = { ipv4: 32, ipv6: 128 } as const;

/**
 * The engine assigns one address from the range of the bridge, and routes further prefixes to the interface. An own
 * address within such a prefix needs no assignment. Without an own address the engine would choose one itself, so the
 * first alias is assigned instead. The value `none` blocks all IPv4; the engine accepts it only with filtering. It is
 * not used for IPv6: a restarted daemon fails on it, and then on every other machine of the network. The IPv6 address
 * that the engine chooses instead is derived from the hardware address, takes no address from another machine, and
 * the filter lets no other address pass.
 */
function addressing(family: 'ipv4' | 'ipv6', { aliases, antiSpoofing, [family]: own }: Nic): Strings {
  const ranges = aliases
    .flatMap((alias) => parseCidr(alias)?.cidr ?? [])
    .filter(({ base }) => base.family === (family === 'ipv4' ? 4 : 6));
  const single = ranges.filter(({ prefix }) => prefix === BITS[family]);
  const isRouted = own !== null && ranges.some((range) => isWithin(own, range));
  const handed = isRouted
    ? null
    : (own ?? (ranges.length === single.length ? single[0]?.base.text : null) ?? null);
  const address = handed ?? (family === 'ipv4' && antiSpoofing && ranges.length === 0 ? 'none' : null);
  const routed = ranges.filter(({ base, prefix }) => !(prefix === BITS[family] && base.text === handed));
  return {
    ...(address === null ? {} : { [`${family}.address`]: address }),
    ...(routed.length === 0 ? {} : { [`${family}.routes`]: routed.map(({ text }) => text).join(',') }),
    ...(antiSpoofing ? { [`security.${family}_filtering`]: 'true' } : {}),
  };
}

function isWithin(address: string, range: Cidr): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && cidrContains(range, parsed);
}

/** The configuration keys and devices of a machine with these interfaces. */
export function nicParts(site: Place, ref: Ref, nics: readonly Nic[]): Changeable {
  return withNetworkConfig(site, {
    config: Object.fromEntries(nics.map((nic) => [noteOf(nic.id), JSON.stringify(nic)])),
    devices: Object.fromEntries(nics.map((nic) => [nic.id, deviceOf(site, ref, nic)])),
  });
}

/**
 * The guest reads this when cloud-init runs again. Until then, the customer configures a newly attached interface
 * inside the guest.
 */
function withNetworkConfig(
  { settings }: Pick<Site, 'settings'>,
  { config, devices }: Changeable,
): Changeable {
  const told = networkConfig(nicsOf({ config, devices }), settings.instanceType);
  return { config: { ...config, [NETWORK_CONFIG]: told }, devices };
}

const isEqual = (a: Strings, b: Strings): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, value]) => b[name] === value);

export async function ensureNic(
  site: Site,
  ...[ref, nic, signal]: Parameters<ComputeEngine['ensureNic']>
): Promise<void> {
  const wanted = nicParts(site, ref, [nic]);
  const plug = (): Promise<void> =>
    changeInstance(
      site,
      ref,
      (raw) => {
        const changed = withNetworkConfig(site, {
          config: { ...raw.config, ...wanted.config },
          devices: { ...raw.devices, ...wanted.devices },
        });
        const isThere = isEqual(raw.devices[nic.id] ?? {}, wanted.devices[nic.id] ?? {});
        return isThere && isEqual(raw.config, changed.config) ? null : changed;
      },
      signal,
    );
  const plugPast = (): Promise<void> => pastLeftRoutes(site, ref, () => wanted.devices, plug, signal);
  await whileJoining(networkOf(site, ref, nic), async () => {
    if (nic.network !== null) await guardPort(site, ref, nic, signal);
    await plugPast();
  });
  if (nic.network !== null) await securePorts(site, ref, signal);
}

export async function removeNic(
  site: Site,
  ...[ref, nicId, signal]: Parameters<ComputeEngine['removeNic']>
): Promise<void> {
  if ((await findRaw(site, ref, signal)) === null) return;
  await changeInstance(
    site,
    ref,
    ({ config, devices }) =>
      devices[nicId] === undefined
        ? null
        : withNetworkConfig(site, {
            config: without(config, noteOf(nicId)),
            devices: without(devices, nicId),
          }),
    signal,
  );
  await forgetPorts(site, ref, nicId, signal);
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
