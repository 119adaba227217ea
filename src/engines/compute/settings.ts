/** The driver that runs the machines of a location. The rest of the program reads the result of `computeOf`. */
import { Nullable, OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import { Driver, Member } from '../../provider/driver-members.ts';
import { Count, Default, Path } from '../../provider/words.ts';

declare module '../../provider/catalogue.ts' {
  interface LocationPorts {
    /** `null`: no machines are sold at this location. */
    compute: ComputeSettings | null;
  }
}

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

const sandbox = {
  /** Multiplies the simulated durations of the sandbox; 0 completes every operation at once. */
  pace: Member(Type.Number({ minimum: 0, maximum: 100 })),
};

const incus = {
  url: Member(Url),
  /** URLs of other members of the same cluster: the location stays available when the member at `url` fails. */
  other_urls: Member(Type.Array(Url, { maxItems: 50 })),
  /** File names; relative names are resolved against the folder of the provider's file. */
  client_certificate: Member(Path),
  client_key: Member(Path),
  /** For an engine with a certificate that no public CA signed. If set, only this certificate is trusted. */
  server_certificate: Member(Path),
  instance_type: Member(OneOf(['container', 'virtual-machine'])),
  storage_pool: Member(EngineName),
  public_network: Member(EngineName),
  /** Whether private networks are bridges of the server, or networks of OVN. */
  networks: Member(OneOf(['bridge', 'ovn'])),
  /** The network of the engine through which private networks reach the internet. */
  ovn_uplink: Member(EngineName),
  /** Addresses of OVN's northbound database: one server, or the members of a cluster. */
  ovn_northbound: Member(Type.Array(Remote, { minItems: 1, maxItems: 9 })),
  /** Files for addresses with `ssl:`: our certificate, its key, and the authority of OVN. */
  ovn_certificate: Member(Path),
  ovn_key: Member(Path),
  ovn_authority: Member(Path),
  /** The alias of the image of VPN gateways at the engine. Without it, the location has none. */
  vpn_image: Member(EngineName),
  account_bounds: Member(AccountBounds),
  vcpu_overcommit: Member(Type.Integer({ minimum: 1, maximum: 100 })),
  reserve_percent: Member(Type.Integer({ minimum: 0, maximum: 90 })),
};

export const computeDrivers = { sandbox, incus };

export const ComputeSettings = Shape({ driver: Driver(computeDrivers), ...sandbox, ...incus });
export type ComputeSettings = Static<typeof ComputeSettings>;

export const CERTIFICATE_MEMBERS = ['client_certificate', 'client_key', 'server_certificate'] as const;
export const OVN_FILES = ['ovn_certificate', 'ovn_key', 'ovn_authority'] as const;
export const OVN_MEMBERS = ['ovn_uplink', 'ovn_northbound', ...OVN_FILES] as const;

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
export function computeOf(given: ComputeSettings): Compute {
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

function ovnOf(given: ComputeSettings): IncusCompute['ovn'] {
  const { ovn_certificate: certificate, ovn_key: key, ovn_authority: authority } = given;
  const isWhole = certificate !== null && key !== null && authority !== null;
  return {
    uplink: given.ovn_uplink ?? '',
    northbound: given.ovn_northbound ?? [],
    files: isWhole ? { certificate, key, authority } : null,
  };
}
