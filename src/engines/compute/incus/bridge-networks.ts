/**
 * Private networks as bridges of one server. The engine routes between all its bridges, so an ACL blocks traffic from
 * outside. The bridges share one routing table, so no two of them can have the same addresses.
 */
import { cidrCovers, parseCidr } from '../../../kernel/net/cidr.ts';
import { CapabilityMissing, EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { NetworkSpec } from '../network.ts';
import { bridgeConfigOf, outsideList } from './bridges.ts';
import { NO_NETWORKS } from './capabilities.ts';
import type { NetworkKind, Site } from './driver-context.ts';
import { isTaken } from './failure.ts';
import { networkNameOf } from './names.ts';

interface RawBridge {
  readonly name: string;
  readonly managed: boolean;
  readonly config: Readonly<Record<string, string>>;
}

async function refuseCluster(site: Site, signal?: AbortSignal): Promise<void> {
  if ((await site.readServer(signal)).environment.server_clustered)
    throw new CapabilityMissing('privateNetworks', NO_NETWORKS);
}

async function ensureOutsideList({ client }: Site, signal?: AbortSignal): Promise<void> {
  await client.run('POST', '/1.0/network-acls', { body: outsideList, signal }).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
  });
}

/** An address range can be used once on a server, whichever account uses it. */
async function refuseOverlap(
  { client }: Site,
  ref: Ref,
  spec: NetworkSpec,
  signal: AbortSignal | undefined,
): Promise<void> {
  const networks = await client.ask<readonly RawBridge[]>('GET', '/1.0/networks', {
    query: { recursion: 1 },
    signal,
  });
  const rangesOf = ({ config }: RawBridge): (string | undefined)[] => [
    config['ipv4.address'],
    config['ipv6.address'],
  ];
  const others = networks.filter(({ name, managed }) => managed && name !== networkNameOf(ref, 'bridge'));
  for (const range of [spec.ipv4Cidr, spec.ipv6Cidr])
    if (range !== null && others.flatMap(rangesOf).some((other) => overlap(range, other ?? '')))
      throw new EngineRefused(
        'address_taken',
        `Addresses of ${range} are in use by another network of this location. Choose another range.`,
      );
}

function overlap(a: string, b: string): boolean {
  const [one, other] = [parseCidr(a)?.cidr, parseCidr(b)?.cidr];
  if (one === undefined || other === undefined) return false;
  return cidrCovers(one, other) || cidrCovers(other, one);
}

export const bridgeNetworks: NetworkKind = {
  type: 'bridge',
  configOf: bridgeConfigOf,
  async prepare(site, ref, spec, signal) {
    await refuseCluster(site, signal);
    await refuseOverlap(site, ref, spec, signal);
    await ensureOutsideList(site, signal);
  },
  // A concurrent request for the same addresses could not see this network before, so the check is repeated.
  confirm: refuseOverlap,
  complete: async () => undefined,
  clear: async () => undefined,
  tellsUsers: true,
};
