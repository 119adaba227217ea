import type { ComputeEngine } from '../../../engines/compute/port.ts';
import { requireCapability } from '../../../engines/engine-call.ts';
import type { Call } from '../../../kernel/call.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { creationOf } from '../../../resources/records/records.ts';
import { locationFaults } from '../catalog/location-faults.ts';
import { newNetworkExample } from './example.ts';
import { createNetworkKind } from './kinds.ts';
import { networkView } from './present.ts';
import { networks } from './resource.ts';
import { changedSettings, initialSettings, routesFaults } from './rules.ts';
import { MTU, NewNetwork } from './schema.ts';
import { findOverlapping, insertNetwork, isRangeTaken } from './store.ts';
import type { NetworkRow } from './table.ts';

type CreateCall = Call<unknown, unknown, NewNetwork>;

function refuseFaults({ body, services }: CreateCall): void {
  const ranges = { ipv4_cidr: body.ipv4_cidr, ipv6_cidr: null };
  const faults = [...routesFaults(body.routes ?? [], ranges), ...locationFaults(services, body.location)];
  if (faults.length > 0) throw invalid(faults);
}

/** Some engines cannot separate networks with the same addresses, not even those of different accounts. */
async function requireFreeRange({ db, body }: CreateCall, { capabilities }: ComputeEngine): Promise<void> {
  const reason = capabilities.overlappingNetworks;
  if (reason === true || !(await isRangeTaken(db, body))) return;
  const detail = `${reason} Addresses of ${body.ipv4_cidr} are in use by another network: choose another range.`;
  throw new Problem('address_taken', { detail });
}

async function warnOfOverlap({ db, warn }: CreateCall, row: NetworkRow): Promise<void> {
  for (const { id, name, ipv4_cidr } of await findOverlapping(db, row)) {
    const detail = `Overlaps ${ipv4_cidr} of ${name} (${id}): no machine can be in both.`;
    warn({ code: 'cidr_overlap', detail, pointer: '/ipv4_cidr' });
  }
}

export const createVpsNetwork = creationOf(networkView, {
  id: 'createVpsNetwork',
  summary: 'Create a private network',
  description:
    'For machines in one location. The first address is the gateway; the last two are reserved. With `ipv6` the network gets a /64 of unique local addresses (RFC 4193) from the /48 of your account. The ranges of two networks may overlap, but no machine can be in both. Some locations do not support this and answer `address_taken`, even if the other network belongs to another account.',
  body: NewNetwork,
  problems: ['address_taken', 'capability_missing', 'name_taken', 'quota_exceeded'],
  kind: createNetworkKind,
  example: { body: newNetworkExample },
  async begin(call) {
    const { db, caller, body, services } = call;
    refuseFaults(call);
    const engine = requireCapability(services.compute, body.location, 'privateNetworks');
    await networks.requireFree(call, body.name, body.location);
    const id = networks.newId();
    await requireRoomIn(call, 'flexible-vps.routes-per-network', id, {
      before: 0,
      after: body.routes?.length ?? 0,
    });
    await requireFreeRange(call, engine);
    const row = await insertNetwork(
      db,
      {
        id,
        account_id: caller.account.id,
        name: body.name,
        labels: body.labels ?? {},
        description: body.description ?? '',
        location: body.location,
        ipv4_cidr: body.ipv4_cidr,
        mtu: MTU,
        protected: body.protection?.delete ?? false,
        status: 'creating',
        status_reason: null,
      },
      changedSettings(initialSettings, body),
      { ipv6: body.ipv6 ?? true },
    );
    await networks.added(call, row);
    await warnOfOverlap(call, row);
    return { row: { ...row, ipv4_used: 0 }, input: {} };
  },
});
