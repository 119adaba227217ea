import { requireCapability } from '../../../engines/engine-call.ts';
import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call } from '../../../kernel/call.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { newKeyPair } from '../../../kernel/secrets/wireguard-keys.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { vpnGatewayLife } from '../vpn-gateways/lifecycle.ts';
import { lockGateway } from '../vpn-gateways/store.ts';
import { expiryFaults, KEY_HOURS, keyFaults, refuseKey, siteFaults } from './create.ts';
import { peerView } from './present.ts';
import { canonicalRanges, refuseRoutedOverlap } from './ranges.ts';
import { vpnPeers } from './resource.ts';
import { VpnPeerChange, VpnPeerId } from './schema.ts';
import { findPeer, peersOf } from './store.ts';
import { isLive, type Pushed, pushAct } from './sync.ts';
import type { VpnPeerRow } from './table.ts';

type UpdateCall = Call<unknown, unknown, VpnPeerChange>;

interface Prepared extends Pushed {
  readonly keys: ReturnType<typeof newKeyPair>;
}

/** The members that the gateway has to know. */
const appliedOf = ({ public_key, routed_cidrs, endpoint: at, keepalive_seconds }: VpnPeerRow): string =>
  JSON.stringify([public_key, routed_cidrs, at, keepalive_seconds]);

const shownOf = ({ name, labels, public_key, routed_cidrs, endpoint: at, ...rest }: VpnPeerRow) => ({
  name,
  labels,
  public_key,
  routed_cidrs,
  endpoint: at,
  keepalive_seconds: rest.keepalive_seconds,
  enabled: rest.enabled,
  expires_at: rest.expires_at?.toISOString() ?? null,
});

function faultsOf({ body, now }: UpdateCall, before: VpnPeerRow): FieldError[] {
  const faults = [
    ...expiryFaults(body.expires_at, now),
    ...keyFaults(body.public_key),
    ...(body.routed_cidrs === undefined ? [] : siteFaults(before.kind, body.routed_cidrs)),
  ];
  if (body.public_key != null && body.regenerate_key === true) {
    const detail = 'Send either a public key, or regenerate_key.';
    faults.push({ pointer: '/regenerate_key', code: 'mutually_exclusive', detail });
  }
  const isOver = body.expires_at === undefined && before.expires_at !== null && before.expires_at <= now;
  if (body.enabled === true && isOver) {
    const detail = 'The peer has expired. Send a later expires_at with it, or null.';
    faults.push({ pointer: '/enabled', code: 'incompatible', detail });
  }
  return faults;
}

function keyColumns({ body, services, now }: UpdateCall, before: VpnPeerRow, { keys }: Prepared) {
  if (body.regenerate_key === true || body.public_key === null)
    return {
      public_key: keys.publicKey,
      key_source: 'generated' as const,
      private_key: services.secrets.close(Buffer.from(keys.privateKey, 'base64'), before.id),
      private_key_available_until: new Date(now.getTime() + KEY_HOURS * 3_600_000),
    };
  if (body.public_key === undefined || body.public_key === before.public_key) return {};
  return {
    public_key: body.public_key,
    key_source: 'client' as const,
    private_key: null,
    private_key_available_until: null,
  };
}

function changed(call: UpdateCall, before: VpnPeerRow, prepared: Prepared): VpnPeerRow {
  const { body } = call;
  return {
    ...before,
    ...keyColumns(call, before, prepared),
    name: body.name ?? before.name,
    labels: mergeLabels(before.labels, body.labels),
    routed_cidrs: body.routed_cidrs === undefined ? before.routed_cidrs : canonicalRanges(body.routed_cidrs),
    endpoint: body.endpoint === undefined ? before.endpoint : body.endpoint,
    keepalive_seconds: body.keepalive_seconds ?? before.keepalive_seconds,
    enabled: body.enabled ?? before.enabled,
    expires_at:
      body.expires_at === undefined
        ? before.expires_at
        : body.expires_at === null
          ? null
          : new Date(body.expires_at),
  };
}

export const updateVpnPeer = writeOf(peerView, 'update', {
  id: 'updateVpnPeer',
  summary: 'Change a peer of a VPN gateway',
  description:
    'A peer that is disabled, or gets another key, has lost its tunnel when the call is answered; if the gateway cannot be reached, such a call is refused. Other changes are applied later then, and `applied_at` is null until they are.',
  params: VpnPeerId,
  body: VpnPeerChange,
  problems: [
    'name_taken',
    'public_key_taken',
    'cidr_overlap',
    'capability_missing',
    'invalid_state',
    'operation_in_progress',
  ],
  example: { body: { keepalive_seconds: 0 }, answer: { keepalive_seconds: 0 } },
  prepare: async (): Promise<Prepared> => ({ keys: newKeyPair(), isApplied: false }),
  async handle(call, prepared) {
    const { db, caller, params, body, services, now } = call;
    const gateway = await lockGateway(db, caller.account.id, params.id);
    const before = gateway && (await findPeer(db, caller.account.id, gateway.id, params['peer_id'] ?? ''));
    if (gateway === undefined || before === undefined) throw new Problem('not_found');
    call.checkVersion(vpnPeers.etag(before));
    const faults = faultsOf(call, before);
    if (faults.length > 0) throw invalid(faults);
    const operation = (await pendingOn(db, [gateway.id])).get(gateway.id);
    vpnGatewayLife.require('updateVpnPeer', gateway.status, { operation });
    const after = changed(call, before, prepared);
    const others = (await peersOf(db, gateway.id)).filter(({ id }) => id !== before.id);
    if (after.public_key !== before.public_key) refuseKey(gateway, others, after.public_key);
    if (body.routed_cidrs !== undefined && after.routed_cidrs.length > 0) {
      requireCapability(services.compute, gateway.location, 'vpnRoutes');
      await refuseRoutedOverlap(db, gateway, { id: before.id, ranges: after.routed_cidrs });
    }
    const [wasLive, isNowLive] = [isLive(before, now), isLive(after, now)];
    const reachesGateway =
      wasLive !== isNowLive ||
      (isNowLive && appliedOf(before) !== appliedOf(after)) ||
      (isNowLive && before.applied_at === null);
    const hasNewKey = after.public_key !== before.public_key;
    const changesConfig = hasNewKey || after.keepalive_seconds !== before.keepalive_seconds;
    if (reachesGateway)
      call.act(
        pushAct(services, gateway, now, prepared, {
          isStrict: wasLive && (!isNowLive || hasNewKey),
          change: (rows) => rows.map((row) => (row.id === before.id ? after : row)),
        }),
      );
    const { id: _, account_id: __, gateway_id: ___, version: ____, ...columns } = after;
    const { created_at: _____, updated_at: ______, ...change } = columns;
    const row = await vpnPeers.update(
      call,
      before,
      {
        ...change,
        ...(reachesGateway ? { applied_at: prepared.isApplied ? now : null } : {}),
        ...(changesConfig ? { config_changed_at: now } : {}),
      },
      changesBetween(shownOf(before), shownOf(after)),
    );
    return { row };
  },
});
