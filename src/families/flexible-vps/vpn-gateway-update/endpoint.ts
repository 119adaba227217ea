import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call } from '../../../kernel/call.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { newKeyPair } from '../../../kernel/secrets/wireguard-keys.ts';
import { writeOf } from '../../../resources/records/records.ts';
import type { NetworkRow } from '../networks/table.ts';
import { vpnGatewayLife } from '../vpn-gateways/lifecycle.ts';
import { joinNetworks, lockNetworks, rangesOf } from '../vpn-gateways/membership.ts';
import { gatewayView } from '../vpn-gateways/present.ts';
import { vpnGateways } from '../vpn-gateways/resource.ts';
import { canonicalServers, refuseOverlaps } from '../vpn-gateways/rules.ts';
import { VpnGatewayChange } from '../vpn-gateways/schema.ts';
import { networksOf, readParts, setNetworkState } from '../vpn-gateways/store.ts';
import type { VpnGatewayRow } from '../vpn-gateways/table.ts';
import { peerRanges } from '../vpn-peers/ranges.ts';
import { touchConfigs } from '../vpn-peers/store.ts';
import { updateGatewayKind } from './kind.ts';

type UpdateCall = Call<{ readonly id: string }, unknown, VpnGatewayChange>;

const shownOf = (
  { name, labels, description, dns_servers, protected: isProtected, port }: VpnGatewayRow,
  network_ids: readonly string[],
) => ({
  name,
  labels,
  description,
  dns_servers,
  protection: { delete: isProtected },
  port,
  network_ids,
});

/** What the engine applies can only be changed while the gateway is active. */
function requireState(row: VpnGatewayRow, changesEngine: boolean): void {
  if (!changesEngine || row.status === 'active') return;
  throw new Problem('invalid_state', {
    detail: `The gateway is ${row.status}; networks, port and key can only be changed while it is active.`,
    extra: { current_state: row.status, allowed_states: ['active'] },
  });
}

/** Whether the pending operation makes exactly this change: what the tables do not show yet is its port. */
function isUnderWay(
  { type, input }: StoredOperation,
  body: VpnGatewayChange,
  row: VpnGatewayRow,
  network_ids: readonly string[],
): boolean {
  const { rotate_key = false, port, network_ids: wanted = network_ids, ...kept } = body;
  const isSame = JSON.stringify(wanted) === JSON.stringify(network_ids);
  const pendingPort = (input as { readonly port: number }).port;
  return (
    type === updateGatewayKind.type &&
    isSame &&
    (port ?? row.port) === pendingPort &&
    rotate_key === (row.next_public_key !== null) &&
    Object.keys(kept).length === 0
  );
}

/** The networks that the gateway is to have, locked and checked; null if they stay as they are. */
async function lockWanted(
  call: UpdateCall,
  row: VpnGatewayRow,
  present: readonly string[],
): Promise<NetworkRow[] | null> {
  const wanted = call.body.network_ids;
  if (wanted === undefined || JSON.stringify(wanted) === JSON.stringify(present)) return null;
  const networks = await lockNetworks(call, row.location, wanted);
  refuseOverlaps([
    { id: row.id, what: 'the tunnel', range: row.tunnel_ipv4_cidr },
    ...rangesOf(networks),
    ...(await peerRanges(call.db, row.id)),
  ]);
  return networks;
}

async function changeNetworks({ db }: UpdateCall, id: string, wanted: readonly NetworkRow[]): Promise<void> {
  const present = await networksOf(db, id);
  const rankOf = (networkId: string): number => wanted.findIndex((network) => network.id === networkId);
  for (const row of present) {
    const rank = rankOf(row.network_id);
    await setNetworkState(db, row, rank < 0 ? { state: 'leaving' } : { rank });
  }
  const added = wanted
    .map((network, rank) => ({ network, rank }))
    .filter(({ network }) => !present.some(({ network_id }) => network_id === network.id));
  await joinNetworks(db, id, present, added);
}

const warnOfKey = ({ warn }: UpdateCall, peers: number): void =>
  warn({
    code: 'vpn_configs_change',
    detail: `${peers} peers need their new configuration; until then they cannot connect.`,
    pointer: '/rotate_key',
  });

export const updateVpnGateway = writeOf(gatewayView, 'update', {
  id: 'updateVpnGateway',
  description:
    'Name, labels, description, DNS servers and protection change at once. Networks, port and key are changed by an operation; the tunnels stay up, unless the port or the key changes. Get the configurations of peers again afterwards: `config_changed_at` of a peer says when it changed.',
  body: VpnGatewayChange,
  problems: [
    'name_taken',
    'quota_exceeded',
    'cidr_overlap',
    'address_taken',
    'invalid_state',
    'operation_in_progress',
  ],
  kind: updateGatewayKind,
  example: { body: { port: 51821 }, answer: { status: 'updating' } },
  async handle(call) {
    const { db, params, body, services, now } = call;
    if (body.name !== undefined) await vpnGateways.lockNames(call);
    const before = await vpnGateways.take(call, params.id);
    const { network_ids, peer_count } = await readParts(db, before.id);
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    if (pending !== undefined && isUnderWay(pending, body, before, network_ids)) {
      call.effect({ action: 'none', ...vpnGateways.ref(before) });
      call.follow(pending);
      return { row: { ...before, network_ids, peer_count }, operation: pending };
    }
    vpnGatewayLife.require('updateVpnGateway', before.status, { operation: pending });
    const networks = await lockWanted(call, before, network_ids);
    const isRotated = body.rotate_key ?? false;
    const port = body.port ?? before.port;
    const changesEngine = networks !== null || isRotated || port !== before.port;
    requireState(before, changesEngine);
    const kept = {
      name: body.name ?? before.name,
      labels: mergeLabels(before.labels, body.labels),
      description: body.description ?? before.description,
      dns_servers: body.dns_servers ? canonicalServers(body.dns_servers) : before.dns_servers,
      protected: body.protection?.delete ?? before.protected,
    };
    if (kept.name !== before.name) await vpnGateways.requireFreeName(call, kept.name);
    const wanted = networks?.map(({ id }) => id) ?? network_ids;
    const settings = changesBetween(
      shownOf(before, network_ids),
      shownOf({ ...before, ...kept, port }, wanted),
    );
    const changes = [
      ...settings,
      ...(isRotated ? [{ pointer: '/public_key', before: before.public_key, after: null }] : []),
    ];
    if (isRotated) warnOfKey(call, peer_count);
    if (networks !== null) await changeNetworks(call, before.id, networks);
    const keys = isRotated ? newKeyPair() : null;
    const row =
      changes.length === 0
        ? before
        : ((await vpnGateways.change(
            db,
            before.id,
            {
              ...kept,
              ...(changesEngine ? { status: 'updating' as const } : {}),
              ...(keys === null
                ? {}
                : {
                    next_public_key: keys.publicKey,
                    next_private_key: services.secrets.close(
                      Buffer.from(keys.privateKey, 'base64'),
                      before.id,
                    ),
                  }),
            },
            { services, at: now, keepsPrice: true },
          )) ?? before);
    call.effect({
      action: changes.length === 0 ? 'none' : 'update',
      ...vpnGateways.ref(row),
      changes,
    });
    const isChanged = changes.length > 0;
    if (settings.some(({ pointer }) => pointer.startsWith('/dns_servers')))
      await touchConfigs(db, row.id, now);
    if (isChanged && !changesEngine) call.event(vpnGateways.event('updated', row));
    const operation = await call.start({
      kind: updateGatewayKind,
      input: { port },
      resource: vpnGateways.ref(row),
      ...(changesEngine ? {} : isChanged ? { changedAtOnce: true } : { unchanged: true }),
    });
    return { row: { ...row, network_ids: wanted, peer_count }, operation };
  },
});
