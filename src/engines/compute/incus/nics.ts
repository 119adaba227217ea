/**
 * The network interfaces of a machine: one device each, named by our id. What the engine does not keep of one is written
 * into the configuration of the machine and not of the device, because any change of a device's own notes re-plugs it.
 */
import { isIPv4 } from 'node:net';
import type { Nic, Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { keys } from './keys.ts';
import { networkNameOf } from './names.ts';
import { type Changeable, changeInstance, type RawInstance, type Site } from './site.ts';

type Strings = Readonly<Record<string, string>>;

const noteOf = (nicId: string): string => `${keys.nic}.${nicId}`;

export function deviceOf({ settings }: Pick<Site, 'settings'>, { account }: Ref, nic: Nic): Strings {
  const network = nic.network === null ? settings.publicNetwork : networkNameOf({ account, id: nic.network });
  const isV4 = (address: string): boolean => isIPv4(address.split('/')[0] ?? '');
  return {
    type: 'nic',
    network,
    name: `eth${nic.index}`,
    hwaddr: nic.mac,
    ...addressing(
      'ipv4',
      nic.ipv4,
      nic.aliases.filter((alias) => isV4(alias)),
      nic.antiSpoofing,
    ),
    ...addressing(
      'ipv6',
      nic.ipv6,
      nic.aliases.filter((alias) => !isV4(alias)),
      nic.antiSpoofing,
    ),
    ...(nic.antiSpoofing ? { 'security.mac_filtering': 'true' } : {}),
  };
}

/** The engine takes prefixes only. */
const prefixOf = (alias: string, length: number): string =>
  alias.includes('/') ? alias : `${alias}/${length}`;

/** Where addresses are filtered, `none` stands for "none at all": else the engine would choose one by itself. */
function addressing(
  family: 'ipv4' | 'ipv6',
  address: string | null,
  aliases: readonly string[],
  isFiltered: boolean,
): Strings {
  const routes = aliases.map((alias) => prefixOf(alias, family === 'ipv4' ? 32 : 128));
  return {
    ...(address !== null
      ? { [`${family}.address`]: address }
      : isFiltered
        ? { [`${family}.address`]: 'none' }
        : {}),
    ...(routes.length > 0 ? { [`${family}.routes`]: routes.join(',') } : {}),
    ...(isFiltered ? { [`security.${family}_filtering`]: 'true' } : {}),
  };
}

/** What has to be in the configuration of a machine with these interfaces, and its devices. */
export function nicParts(site: Pick<Site, 'settings'>, ref: Ref, nics: readonly Nic[]): Changeable {
  return {
    config: Object.fromEntries(nics.map((nic) => [noteOf(nic.id), JSON.stringify(nic)])),
    devices: Object.fromEntries(nics.map((nic) => [nic.id, deviceOf(site, ref, nic)])),
  };
}

/** In the order in which the guest sees them. */
export function nicsOf({ config, devices }: Pick<RawInstance, 'config' | 'devices'>): Nic[] {
  return Object.keys(devices)
    .flatMap((id) => {
      const note = config[noteOf(id)];
      return note === undefined ? [] : [JSON.parse(note) as Nic];
    })
    .sort((a, b) => a.index - b.index || a.id.localeCompare(b.id));
}

const equal = (a: Strings, b: Strings): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, value]) => b[name] === value);

export async function ensureNic(
  site: Site,
  ...[ref, nic, signal]: Parameters<ComputeEngine['ensureNic']>
): Promise<void> {
  const wanted = nicParts(site, ref, [nic]);
  await changeInstance(
    site,
    ref,
    (raw) => {
      const config = { ...raw.config, ...wanted.config };
      const devices = { ...raw.devices, ...wanted.devices };
      const isThere =
        raw.devices[nic.id] !== undefined && equal(raw.devices[nic.id] ?? {}, devices[nic.id] ?? {});
      return isThere && equal(raw.config, config) ? null : { config, devices };
    },
    signal,
  );
}

export async function removeNic(
  site: Site,
  ...[ref, nicId, signal]: Parameters<ComputeEngine['removeNic']>
): Promise<void> {
  await changeInstance(
    site,
    ref,
    ({ config, devices }) =>
      devices[nicId] === undefined
        ? null
        : { config: without(config, noteOf(nicId)), devices: without(devices, nicId) },
    signal,
  );
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
