/**
 * Compares VPN gateways with the engines. A gateway has no data of its own, so one that is lost, restarted or changed is
 * made again from the tables. Also reads back handshakes and traffic of the peers, and finds gateways that nobody owns.
 */
import type { ComputeEngine, Gateway, GatewayPeer } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { observeNow, patience } from '../../../engines/reconciler/observation.ts';
import { whileClaimed } from '../../../kernel/claims/while-claimed.ts';
import { ONE } from '../../../kernel/micro.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { addReading } from '../../../money/metering/readings/add-reading.ts';
import type { Tx } from '../../../store/database.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { TRAFFIC_SKU } from '../prices/vpn-gateway.ts';
import { applyGateway, isAsWanted, refOf, specOf } from '../vpn-gateways/engine-gateway.ts';
import { gatewaysAt, readGateway } from '../vpn-gateways/store.ts';
import type { VpnGatewayRow } from '../vpn-gateways/table.ts';
import { addCounts, markApplied, peersOf } from '../vpn-peers/store.ts';
import { livePeers } from '../vpn-peers/sync.ts';
import { noteStrays, strayGateways } from './strays/strays.ts';

const settingsOf = ({ publicKey, allowedIps }: Pick<GatewayPeer, 'publicKey' | 'allowedIps'>): string =>
  `${publicKey} ${allowedIps.toSorted().join(',')}`;

function hasPeers({ tunnel }: Gateway, wanted: readonly GatewayPeer[]): boolean {
  const seen = new Set((tunnel?.peers ?? []).map(settingsOf));
  return seen.size === wanted.length && wanted.every((peer) => seen.has(settingsOf(peer)));
}

/** Outgoing traffic is what the gateway sends to its peers. The part below a millionth of a GB is not billed. */
async function billTraffic(
  tx: Tx,
  { provider }: Services,
  id: string,
  bytes: number,
  at: Date,
): Promise<void> {
  const added = (BigInt(bytes) * ONE) / BigInt(BYTES_PER_GB);
  if (added > 0n) await addReading(tx, provider.catalogue, { resourceId: id, sku: TRAFFIC_SKU, added, at });
}

async function keepCounts(services: Services, row: VpnGatewayRow, { tunnel }: Gateway): Promise<void> {
  const counts = (tunnel?.peers ?? []).map((peer) => ({
    public_key: peer.publicKey,
    last_handshake_at: peer.lastHandshakeAt,
    rx: peer.receivedBytes,
    tx: peer.sentBytes,
  }));
  if (counts.length === 0) return;
  const at = new Date();
  await services.db.transaction().execute(async (tx) => {
    const sent = await addCounts(tx, row.id, counts);
    await billTraffic(tx, services, row.id, sent, at);
  });
}

/**
 * States in which a gateway may have tunnels. Only an active one is made again: an operation brings it into its next
 * state itself, and one in `error` stays as it is. Its peers lose their access when their time ends, whatever the state.
 */
const withTunnels: readonly VpnGatewayRow['status'][] = ['active', 'updating', 'error'];

/** While the gateway is claimed, so no call changes its peers meanwhile. */
async function align(services: Services, engine: ComputeEngine, id: string): Promise<void> {
  const { db } = services;
  const row = await readGateway(db, id);
  if (row === undefined || !withTunnels.includes(row.status)) return;
  const isActive = row.status === 'active';
  const rows = await peersOf(db, id);
  const peers = livePeers(services, rows, new Date());
  const { seen } = await observeNow(services, (signal) => engine.observeGateway(refOf(row), signal));
  if (!isActive && (seen === null || seen.tunnel === null)) return;
  const spec = await specOf(db, services, row);
  const isWhole = !isActive || isAsWanted(seen, spec, row.public_key);
  if (!isWhole) await applyGateway(engine, row, spec, patience());
  const hasAll = isWhole && seen !== null && hasPeers(seen, peers);
  if (!hasAll || rows.some(({ applied_at }) => applied_at === null)) {
    await engine.ensureGatewayPeers(refOf(row), peers, patience());
    await markApplied(db, rows);
  }
  if (seen !== null && row.status !== 'error') await keepCounts(services, row, seen);
}

export async function reconcileGateway(services: Services, id: string): Promise<void> {
  const row = await readGateway(services.db, id);
  if (row === undefined) return;
  const engine = engineAt(services.compute, row.location);
  await whileClaimed(services, id, () => align(services, engine, id));
}

async function lookThrough(services: Services, engine: ComputeEngine): Promise<void> {
  const found = await engine.observeGateways(patience());
  const unclaimed = new Map(found.map((ref) => [ref.id, ref]));
  const attempts = new Attempts(services);
  for await (const rows of gatewaysAt(services.db, engine.location))
    for (const { id, status } of rows) {
      unclaimed.delete(id);
      if (withTunnels.includes(status)) await attempts.make(id, () => reconcileGateway(services, id));
    }
  await noteStrays(services, strayGateways, engine, [...unclaimed.values()]);
}

export const gatewayDrift: Schedule = {
  name: 'flexible-vps.vpn-gateways',
  everySeconds: 60,
  run: (services) => eachEngine(services, services.compute, (engine) => lookThrough(services, engine)),
};
