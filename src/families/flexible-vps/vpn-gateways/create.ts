import { requireCapability } from '../../../engines/engine-call.ts';
import type { Call } from '../../../kernel/call.ts';
import { parseCidr } from '../../../kernel/net/cidr.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { newKeyPair } from '../../../kernel/secrets/wireguard-keys.ts';
import { price } from '../../../money/prices/price.ts';
import { noAddressLeft } from '../../../resources/addresses/availability/refusal.ts';
import { poolsOf } from '../../../resources/addresses/pool.ts';
import { allocateAddresses, type PublicAddressRow } from '../../../resources/addresses/store.ts';
import { creationOf } from '../../../resources/records/records.ts';
import { locationFaults } from '../catalog/location-faults.ts';
import { newInterfaceId } from '../interfaces/resource.ts';
import { addressAt } from '../networks/addresses.ts';
import type { NetworkRow } from '../networks/table.ts';
import { asBodyErrors } from '../vms/inventory.ts';
import { createGatewayKind } from './kinds.ts';
import { joinNetworks, lockNetworks, rangesOf } from './membership.ts';
import { gatewayView } from './present.ts';
import { vpnGateways } from './resource.ts';
import { canonicalServers, freeTunnel, refuseOverlaps } from './rules.ts';
import { DEFAULT_PORT, NewVpnGateway, TUNNEL_MTU } from './schema.ts';
import { freePrefix, rangesAt } from './store.ts';
import type { VpnGatewayRow } from './table.ts';

type CreateCall = Call<unknown, unknown, NewVpnGateway>;

function refuseFaults({ body, services, now }: CreateCall): void {
  const { location } = body;
  const faults = locationFaults(services, location);
  if (faults.length > 0) throw invalid(faults);
  const priced = price(services.tariff, 'vpn_gateway', { location }, { at: now });
  if (!priced.ok) throw invalid(asBodyErrors(priced.problems));
  if (priced.item.available) return;
  const detail = `VPN gateways are not sold in ${location}.`;
  throw invalid([{ pointer: '/location', code: 'location_mismatch', detail }]);
}

/** A public IPv4 address, and an IPv6 prefix where the location has some. */
async function takeAddresses(call: CreateCall, gatewayId: string): Promise<readonly PublicAddressRow[]> {
  const { db, services, caller, body, now } = call;
  const pools = services.provider.catalogue.address_pools;
  const { location } = body;
  const question = { pools, location, accountId: caller.account.id, now };
  const versions = poolsOf(pools, location, 6).length > 0 ? ([4, 6] as const) : ([4] as const);
  const taken = await allocateAddresses(
    db,
    { ...question, kind: 'ephemeral', vmId: null, gatewayId },
    versions,
  );
  if (taken.rows !== undefined) return taken.rows;
  throw await noAddressLeft(db, question, taken.exhausted, 'Choose another location.');
}

async function chooseTunnel(
  { db, caller, body }: CreateCall,
  networks: readonly NetworkRow[],
): Promise<string> {
  const given = body.tunnel_ipv4_cidr;
  const tunnel =
    given === undefined
      ? freeTunnel(await rangesAt(db, caller.account.id, body.location))
      : (parseCidr(given)?.cidr.text ?? given);
  const own = { id: null, what: 'the tunnel', range: tunnel };
  refuseOverlaps([own, ...rangesOf(networks)]);
  return tunnel;
}

async function insert(call: CreateCall, tunnel: string): Promise<VpnGatewayRow> {
  const { db, caller, body, services } = call;
  const id = vpnGateways.newId();
  const addresses = await takeAddresses(call, id);
  const v4 = addresses.find(({ block }) => !block.includes(':'));
  const v6 = addresses.find(({ block }) => block.includes(':'));
  const keys = newKeyPair();
  return vpnGateways.add(
    call,
    {
      id,
      name: body.name,
      labels: body.labels ?? {},
      description: body.description ?? '',
      status: 'creating',
      location: body.location,
      port: body.port ?? DEFAULT_PORT,
      public_key: keys.publicKey,
      private_key: services.secrets.close(Buffer.from(keys.privateKey, 'base64'), id),
      tunnel_ipv4_cidr: tunnel,
      tunnel_ipv6_cidr: (body.ipv6 ?? true) ? await freePrefix(db, caller.account.id) : null,
      dns_servers: canonicalServers(body.dns_servers),
      mtu: TUNNEL_MTU,
      protected: body.protection?.delete ?? false,
      nic_id: newInterfaceId(),
      endpoint_ipv4: v4?.block.split('/')[0] ?? '',
      endpoint_ipv6: v6 === undefined ? null : addressAt(v6.block, 1),
      ipv4_address_id: v4?.id ?? null,
      ipv6_address_id: v6?.id ?? null,
    },
    ['location', 'port', 'tunnel_ipv4_cidr'],
  );
}

export const createVpnGateway = creationOf(gatewayView, {
  id: 'createVpnGateway',
  description:
    'A WireGuard server with a public address that leads into one to five private networks of one location. Add peers when it is active.',
  raisesCost: true,
  body: NewVpnGateway,
  problems: [
    'name_taken',
    'quota_exceeded',
    'capability_missing',
    'capacity_unavailable',
    'cidr_overlap',
    'address_taken',
    'invalid_state',
  ],
  kind: createGatewayKind,
  example: {
    body: {
      name: 'office',
      location: 'fra1',
      network_ids: ['net_01jqzv2m7xe9rs5d3k8w4t6y0b'],
      labels: { env: 'prod' },
    },
  },
  async begin(call) {
    const { db, body, services, now } = call;
    refuseFaults(call);
    requireCapability(services.compute, body.location, 'vpnGateways');
    const networks = await lockNetworks(call, body.location, body.network_ids);
    await vpnGateways.requireFree(call, body.name, body.location);
    const row = await insert(call, await chooseTunnel(call, networks));
    const joined = networks.map((network, rank) => ({ network, rank }));
    await joinNetworks(db, row.id, [], joined);
    const parts = { network_ids: body.network_ids, peer_count: 0 };
    return { row: { ...row, ...parts }, ready: { status: 'active', provisioned_at: now }, input: {} };
  },
});
