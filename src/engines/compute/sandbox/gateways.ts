/**
 * VPN gateways of the sandbox. No packet is encrypted: only what the engine would report is computed. A peer with an
 * endpoint counts as connected from when the gateway has it, so its handshakes and counters move with the clock.
 */
import { publicKeyOf } from '../../../kernel/secrets/wireguard-keys.ts';
import { declaredObjects } from '../../sandbox/declared-objects.ts';
import type { Gateway, GatewayPeer, GatewaySpec, ObservedPeer } from '../gateway.ts';
import type { Ref } from '../instance.ts';
import { type ComputeCore, type ComputeSandbox, missing, nameOf } from './core.ts';
import type { Moment, StoredGateway, StoredPeer } from './state.ts';
import type { ComputeStateStore } from './store.ts';

/** WireGuard exchanges new keys after two minutes. */
const HANDSHAKE_MS = 120_000;
const BYTES_PER_SECOND = { received: 148, sent: 92 } as const;

const restsAt = ({ busyUntil }: StoredGateway): Moment => busyUntil;

async function requireNetworks(
  store: ComputeStateStore,
  { account }: Ref,
  { nics }: GatewaySpec,
): Promise<void> {
  for (const { network } of nics)
    if (network !== null && !(await store.hold('network', { project: account, id: network })))
      throw missing('network', network);
}

export async function ensureGateway(
  core: ComputeCore,
  ref: Ref,
  spec: GatewaySpec,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  const { nics, port } = spec;
  const wanted = { nics, port, publicKey: publicKeyOf(spec.privateKey) };
  const isThere = await core.change('gateway', name, signal, {
    restsAt,
    apply: async (store, present, now) => {
      await requireNetworks(store, ref, spec);
      const { nics: before, port: oldPort, publicKey } = present;
      if (JSON.stringify([before, oldPort, publicKey]) === JSON.stringify(Object.values(wanted))) return null;
      return { ...present, ...wanted, busyUntil: now + core.takes('tunnel') };
    },
  });
  if (isThere) return;
  const pending = await core.store.transact(async (store) => {
    await requireNetworks(store, ref, spec);
    const present = await store.lock('gateway', name);
    const now = await store.now();
    if (present !== null) return restsAt(present) - now;
    const busyUntil = now + core.takes('gateway');
    await store.insert('gateway', name, { ...wanted, busyUntil, peers: [] });
    return busyUntil - now;
  });
  await core.pause(pending, signal);
}

const settingsOf = ({ publicKey, allowedIps, endpoint }: GatewayPeer | StoredPeer): string =>
  JSON.stringify([publicKey, allowedIps, endpoint]);

export async function ensurePeers(
  core: ComputeCore,
  ref: Ref,
  peers: readonly GatewayPeer[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const isThere = await core.change('gateway', nameOf(ref), signal, {
    restsAt,
    apply: async (_, gateway, now) => {
      const present = new Map(gateway.peers.map((peer) => [settingsOf(peer), peer]));
      const added = peers.filter((peer) => !present.has(settingsOf(peer)));
      if (added.length === 0 && peers.length === gateway.peers.length) return null;
      const changed = peers.map(
        (peer): StoredPeer =>
          present.get(settingsOf(peer)) ?? {
            publicKey: peer.publicKey,
            allowedIps: peer.allowedIps,
            endpoint: peer.endpoint,
            since: now,
          },
      );
      return { ...gateway, peers: changed, busyUntil: now + core.takes('tunnel') };
    },
  });
  if (!isThere) throw missing('gateway', ref.id);
}

function observed({ publicKey, allowedIps, endpoint, since }: StoredPeer, now: Moment): ObservedPeer {
  const elapsed = endpoint === null ? 0 : Math.max(0, now - since);
  const seconds = Math.ceil(elapsed / 1000);
  return {
    publicKey,
    allowedIps,
    lastHandshakeAt:
      endpoint === null ? null : new Date(since + Math.floor(elapsed / HANDSHAKE_MS) * HANDSHAKE_MS),
    receivedBytes: seconds * BYTES_PER_SECOND.received,
    sentBytes: seconds * BYTES_PER_SECOND.sent,
  };
}

export async function observeGateway({ store }: ComputeCore, ref: Ref): Promise<Gateway | null> {
  const gateway = await store.find('gateway', nameOf(ref));
  if (gateway === null) return null;
  const { nics, port, publicKey, peers } = gateway;
  const now = await store.now();
  return { ...ref, nics, tunnel: { port, publicKey, peers: peers.map((peer) => observed(peer, now)) } };
}

/** Gateways are made by `ensureGateway`, which needs more than their specification. */
export const gateways = declaredObjects<ComputeSandbox, 'gateway'>('gateway', {
  task: 'remove',
});
