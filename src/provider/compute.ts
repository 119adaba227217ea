/**
 * The driver that runs the machines of a location. The schema contains the members of all drivers, so that a fault can
 * name a member that belongs to another driver. The rest of the program reads the result of `computeOf`.
 */
import { Nullable, OneOf, Shape, type Static, Type } from '../kernel/schema.ts';
import { Count, Default, Path } from './words.ts';

/** The name of a storage pool or bridge at the engine. */
const EngineName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  maxLength: 63,
  examples: ['public'],
});

const Url = Type.String({
  pattern: '^(unix:///[^\\s?#]+|https://[^\\s@/?#]+/?)$',
  maxLength: 255,
  examples: ['unix:///var/lib/incus/unix.socket', 'https://10.0.0.5:8443'],
});

const Remote = Type.String({
  pattern: '^(unix:/[^\\s,]+|(tcp|ssl):(\\[[0-9A-Fa-f:.]+\\]|[^\\s:,\\[\\]]+):\\d{1,5})$',
  maxLength: 255,
  examples: ['ssl:10.0.0.5:6641', 'unix:/run/ovn/ovnnb_db.sock'],
});

const AccountBounds = Shape({
  instances: Default(Nullable(Count), null),
  vcpus: Default(Nullable(Count), null),
  memory_mb: Default(Nullable(Count), null),
  disk_gb: Default(Nullable(Count), null),
});

export const ComputeDriver = Shape({
  driver: OneOf(['sandbox', 'incus']),
  /** Multiplies the simulated durations of the sandbox; 0 completes every operation at once. */
  pace: Default(Nullable(Type.Number({ minimum: 0, maximum: 100 })), null),
  url: Default(Nullable(Url), null),
  /** URLs of other members of the same cluster: the location stays available when the member at `url` fails. */
  other_urls: Default(Nullable(Type.Array(Url, { maxItems: 50 })), null),
  /** File names; relative names are resolved against the folder of the provider's file. */
  client_certificate: Default(Nullable(Path), null),
  client_key: Default(Nullable(Path), null),
  /** For an engine with a certificate that no public CA signed. If set, only this certificate is trusted. */
  server_certificate: Default(Nullable(Path), null),
  instance_type: Default(Nullable(OneOf(['container', 'virtual-machine'])), null),
  storage_pool: Default(Nullable(EngineName), null),
  public_network: Default(Nullable(EngineName), null),
  /** Whether private networks are bridges of the server, or networks of OVN. */
  networks: Default(Nullable(OneOf(['bridge', 'ovn'])), null),
  /** The network of the engine through which private networks reach the internet. */
  ovn_uplink: Default(Nullable(EngineName), null),
  /** Addresses of OVN's northbound database: one server, or the members of a cluster. */
  ovn_northbound: Default(Nullable(Type.Array(Remote, { minItems: 1, maxItems: 9 })), null),
  /** Files for addresses with `ssl:`: our certificate, its key, and the authority of OVN. */
  ovn_certificate: Default(Nullable(Path), null),
  ovn_key: Default(Nullable(Path), null),
  ovn_authority: Default(Nullable(Path), null),
  /** The alias of the image of VPN gateways at the engine. Without it, the location has none. */
  vpn_image: Default(Nullable(EngineName), null),
  account_bounds: Default(Nullable(AccountBounds), null),
  vcpu_overcommit: Default(Nullable(Type.Integer({ minimum: 1, maximum: 100 })), null),
  reserve_percent: Default(Nullable(Type.Integer({ minimum: 0, maximum: 90 })), null),
});
export type ComputeDriver = Static<typeof ComputeDriver>;

export const SANDBOX_MEMBERS = ['pace'] as const;
export const CERTIFICATE_MEMBERS = ['client_certificate', 'client_key', 'server_certificate'] as const;
export const OVN_FILES = ['ovn_certificate', 'ovn_key', 'ovn_authority'] as const;
export const OVN_MEMBERS = ['ovn_uplink', 'ovn_northbound', ...OVN_FILES] as const;
export const INCUS_MEMBERS = [
  'url',
  'other_urls',
  ...CERTIFICATE_MEMBERS,
  'instance_type',
  'storage_pool',
  'public_network',
  'networks',
  ...OVN_MEMBERS,
  'vpn_image',
  'account_bounds',
  'vcpu_overcommit',
  'reserve_percent',
] as const;

interface SandboxCompute {
  readonly driver: 'sandbox';
  readonly pace: number;
}

export interface IncusCompute {
  readonly driver: 'incus';
  readonly url: string;
  readonly otherUrls: readonly string[];
  /** Files that exist and match each other (checked on load); `null` for a unix socket. */
  readonly client: { readonly certificate: string; readonly key: string } | null;
  readonly serverCertificate: string | null;
  readonly instanceType: 'container' | 'virtual-machine';
  readonly storagePool: string;
  readonly publicNetwork: string;
  /** Null if private networks are bridges. */
  readonly ovn: {
    readonly uplink: string;
    readonly northbound: readonly string[];
    readonly files: { readonly certificate: string; readonly key: string; readonly authority: string } | null;
  } | null;
  /** Null if the location has no VPN gateways. */
  readonly vpnImage: string | null;
  readonly bounds: Static<typeof AccountBounds>;
  readonly vcpuOvercommit: number;
  readonly reservePercent: number;
}

export type Compute = SandboxCompute | IncusCompute;

const UNBOUNDED = { instances: null, vcpus: null, memory_mb: null, disk_gb: null };

/** Fills in the driver's defaults. Expects a checked file, in which all required members are set. */
export function computeOf(given: ComputeDriver): Compute {
  if (given.driver === 'sandbox') return { driver: 'sandbox', pace: given.pace ?? 1 };
  const { client_certificate: certificate, client_key: key } = given;
  return {
    driver: 'incus',
    url: given.url ?? '',
    otherUrls: given.other_urls ?? [],
    client: certificate === null || key === null ? null : { certificate, key },
    serverCertificate: given.server_certificate,
    // Containers run on any host; virtual machines need hardware virtualization and more memory each.
    instanceType: given.instance_type ?? 'container',
    storagePool: given.storage_pool ?? 'default',
    publicNetwork: given.public_network ?? '',
    ovn: given.networks === 'ovn' ? ovnOf(given) : null,
    vpnImage: given.vpn_image,
    bounds: given.account_bounds ?? UNBOUNDED,
    vcpuOvercommit: given.vcpu_overcommit ?? 4,
    reservePercent: given.reserve_percent ?? 5,
  };
}

function ovnOf(given: ComputeDriver): IncusCompute['ovn'] {
  const { ovn_certificate: certificate, ovn_key: key, ovn_authority: authority } = given;
  const isWhole = certificate !== null && key !== null && authority !== null;
  return {
    uplink: given.ovn_uplink ?? '',
    northbound: given.ovn_northbound ?? [],
    files: isWhole ? { certificate, key, authority } : null,
  };
}
