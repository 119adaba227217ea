import { requireCapability } from '../../../engines/engine-call.ts';
import type { Call } from '../../../kernel/call.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { isWeakKey, newKeyPair, newPresharedKey } from '../../../kernel/secrets/wireguard-keys.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { vpnGatewayLife } from '../vpn-gateways/lifecycle.ts';
import { plainAddress } from '../vpn-gateways/present.ts';
import { lockGateway } from '../vpn-gateways/store.ts';
import type { VpnGatewayRow } from '../vpn-gateways/table.ts';
import { peerView } from './present.ts';
import {
  canonicalRanges,
  freeTunnelAddress,
  ipv6For,
  refuseRoutedOverlap,
  routedFaults,
  tunnelAddressFaults,
} from './ranges.ts';
import { vpnPeers } from './resource.ts';
import { NewVpnPeer } from './schema.ts';
import { peersOf } from './store.ts';
import { isLive, type Pushed, pushAct } from './sync.ts';
import type { VpnPeerRow } from './table.ts';

export const KEY_HOURS = 24;

type CreateCall = Call<{ readonly id: string }, unknown, NewVpnPeer>;

/** Values that differ from run to run, so that the act and the rows have the same ones. */
interface Prepared extends Pushed {
  readonly id: string;
  readonly keys: ReturnType<typeof newKeyPair>;
  readonly presharedKey: string;
  /** Chosen while the gateway is claimed; undefined before. */
  tunnelIpv4: string | undefined;
}

export function expiryFaults(expiresAt: string | null | undefined, now: Date): FieldError[] {
  if (expiresAt == null || new Date(expiresAt) > now) return [];
  return [{ pointer: '/expires_at', code: 'out_of_range', detail: 'It must be in the future.' }];
}

export function keyFaults(key: string | null | undefined): FieldError[] {
  if (key == null || !isWeakKey(key)) return [];
  const detail =
    'This is no safe public key: its tunnel could be opened by everybody. Write the output of `wg pubkey`.';
  return [{ pointer: '/public_key', code: 'invalid_format', detail }];
}

export function siteFaults(kind: VpnPeerRow['kind'], ranges: readonly string[]): FieldError[] {
  if (kind === 'site' || ranges.length === 0) return routedFaults(ranges);
  return [
    { pointer: '/routed_cidrs', code: 'incompatible', detail: 'Only site peers have subnets behind them.' },
  ];
}

export function refuseKey(
  gateway: Pick<VpnGatewayRow, 'id' | 'public_key'>,
  others: readonly VpnPeerRow[],
  key: string,
): void {
  const holder = others.find(({ public_key }) => public_key === key);
  if (holder === undefined && gateway.public_key !== key) return;
  throw new Problem('public_key_taken', {
    detail:
      holder === undefined
        ? 'This is the key of the gateway itself.'
        : `The peer ${holder.name} of this gateway has this key.`,
    extra: { existing_id: holder?.id ?? gateway.id },
  });
}

function refuseAddress(others: readonly VpnPeerRow[], address: string | undefined): void {
  const holder = others.find(({ tunnel_ipv4 }) => plainAddress(tunnel_ipv4) === address);
  if (holder === undefined) return;
  throw new Problem('address_taken', {
    detail: `The peer ${holder.name} of this gateway has ${address}.`,
    extra: { existing_id: holder.id },
  });
}

function columnsOf(call: CreateCall, gateway: VpnGatewayRow, prepared: Prepared, tunnelIpv4: string) {
  const { body, now, services } = call;
  const seal = (key: string): Buffer => services.secrets.close(Buffer.from(key, 'base64'), prepared.id);
  const isGenerated = body.public_key === undefined;
  return {
    id: prepared.id,
    gateway_id: gateway.id,
    name: body.name,
    labels: body.labels ?? {},
    kind: body.kind ?? ('client' as const),
    public_key: body.public_key ?? prepared.keys.publicKey,
    key_source: isGenerated ? ('generated' as const) : ('client' as const),
    private_key: isGenerated ? seal(prepared.keys.privateKey) : null,
    private_key_available_until: isGenerated ? new Date(now.getTime() + KEY_HOURS * 3_600_000) : null,
    preshared_key: (body.preshared_key ?? 'generate') === 'generate' ? seal(prepared.presharedKey) : null,
    tunnel_ipv4: tunnelIpv4,
    tunnel_ipv6: ipv6For(gateway, tunnelIpv4),
    routed_cidrs: canonicalRanges(body.routed_cidrs ?? []),
    endpoint: body.endpoint ?? null,
    keepalive_seconds: body.keepalive_seconds ?? 25,
    enabled: body.enabled ?? true,
    expires_at: body.expires_at === undefined ? null : new Date(body.expires_at),
    applied_at: prepared.isApplied ? now : null,
    config_changed_at: now,
  };
}

async function requireGateway(call: CreateCall): Promise<VpnGatewayRow> {
  const { db, caller, params } = call;
  const gateway = await lockGateway(db, caller.account.id, params.id);
  if (gateway === undefined) throw new Problem('not_found');
  const operation = (await pendingOn(db, [gateway.id])).get(gateway.id);
  vpnGatewayLife.require('createVpnPeer', gateway.status, { operation });
  return gateway;
}

function refuseFaults({ body, now }: CreateCall, gateway: VpnGatewayRow): void {
  const faults = [
    ...expiryFaults(body.expires_at, now),
    ...keyFaults(body.public_key),
    ...siteFaults(body.kind ?? 'client', body.routed_cidrs ?? []),
    ...tunnelAddressFaults(gateway.tunnel_ipv4_cidr, body.tunnel_ipv4),
  ];
  if (faults.length > 0) throw invalid(faults);
}

export const createVpnPeer = writeOf(peerView, 'create', {
  id: 'createVpnPeer',
  summary: 'Add a peer to a VPN gateway',
  description:
    'With its own public key, or with a generated key pair whose private key is in the configuration for 24 hours. The tunnels of other peers stay up. If the gateway cannot be reached, `applied_at` is null, and it gets the peer later.',
  body: NewVpnPeer,
  problems: [
    'name_taken',
    'public_key_taken',
    'address_taken',
    'cidr_overlap',
    'quota_exceeded',
    'capability_missing',
    'invalid_state',
    'operation_in_progress',
  ],
  example: { body: { name: 'laptop' } },
  prepare: async (): Promise<Prepared> => ({
    id: vpnPeers.newId(),
    keys: newKeyPair(),
    presharedKey: newPresharedKey(),
    tunnelIpv4: undefined,
    isApplied: false,
  }),
  async handle(call, prepared) {
    const { db, body, services, now } = call;
    const gateway = await requireGateway(call);
    refuseFaults(call, gateway);
    const routed = canonicalRanges(body.routed_cidrs ?? []);
    if (routed.length > 0) requireCapability(services.compute, gateway.location, 'vpnRoutes');
    const others = await peersOf(db, gateway.id);
    const wanted = body.tunnel_ipv4 && parseAddress(body.tunnel_ipv4)?.text;
    if (body.public_key !== undefined) refuseKey(gateway, others, body.public_key);
    refuseAddress(others, wanted);
    await refuseRoutedOverlap(db, gateway, { id: null, ranges: routed });
    await vpnPeers.requireFreeName(call, body.name);
    await requireRoomIn(call, 'flexible-vps.peers-per-vpn-gateway', gateway.id, { before: others.length });
    const choose = (present: readonly VpnPeerRow[]): string =>
      wanted ?? freeTunnelAddress(gateway.tunnel_ipv4_cidr, present);
    const columns = columnsOf(call, gateway, prepared, prepared.tunnelIpv4 ?? choose(others));
    const row = await vpnPeers.add(call, columns, ['kind', 'public_key', 'tunnel_ipv4']);
    call.event(vpnPeers.event('created', row));
    if (isLive(columns, now))
      call.act(
        pushAct(services, gateway, now, prepared, {
          isStrict: false,
          change(rows) {
            prepared.tunnelIpv4 = choose(rows);
            return [...rows, columnsOf(call, gateway, prepared, prepared.tunnelIpv4)];
          },
        }),
      );
    return { row };
  },
});
