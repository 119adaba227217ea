/**
 * Gives a gateway its peers. All writers first take the claim of the gateway (`Call.act` does it for calls), so that
 * the gateway always has the peers of the last of them.
 */
import type { GatewayPeer } from '../../../engines/compute/port.ts';
import { ask } from '../../../engines/engine-call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import type { Services } from '../../../kernel/services.ts';
import { refOf } from '../vpn-gateways/engine-gateway.ts';
import { plainAddress } from '../vpn-gateways/present.ts';
import type { VpnGatewayRow } from '../vpn-gateways/table.ts';
import { peersOf } from './store.ts';
import type { VpnPeerRow } from './table.ts';

/** What the gateway needs to know of a peer. */
export type PeerSettings = Pick<
  VpnPeerRow,
  | 'id'
  | 'public_key'
  | 'preshared_key'
  | 'tunnel_ipv4'
  | 'tunnel_ipv6'
  | 'routed_cidrs'
  | 'endpoint'
  | 'keepalive_seconds'
  | 'enabled'
  | 'expires_at'
>;

export const isLive = ({ enabled, expires_at }: PeerSettings, now: Date): boolean =>
  enabled && (expires_at === null || expires_at > now);

export const keyText = (secrets: Seal, sealed: Buffer, owner: string): string =>
  secrets.open(sealed, owner).toString('base64');

const peerOf = (secrets: Seal, row: PeerSettings): GatewayPeer => ({
  publicKey: row.public_key,
  presharedKey: row.preshared_key === null ? null : keyText(secrets, row.preshared_key, row.id),
  allowedIps: [
    `${plainAddress(row.tunnel_ipv4)}/32`,
    ...(row.tunnel_ipv6 === null ? [] : [`${plainAddress(row.tunnel_ipv6)}/128`]),
    ...row.routed_cidrs,
  ],
  endpoint: row.endpoint,
  keepaliveSeconds: row.keepalive_seconds,
});

export const livePeers = (
  { secrets }: Pick<Services, 'secrets'>,
  rows: readonly PeerSettings[],
  now: Date,
): GatewayPeer[] => rows.filter((row) => isLive(row, now)).map((row) => peerOf(secrets, row));

/** Throws `engine_unavailable` if the gateway cannot be reached. */
async function push(
  services: Services,
  gateway: VpnGatewayRow,
  rows: readonly PeerSettings[],
  now: Date,
): Promise<void> {
  const peers = livePeers(services, rows, now);
  await ask(services.compute, gateway.location, {}, (engine, signal) =>
    engine.ensureGatewayPeers(refOf(gateway), peers, signal),
  );
}

/** The outcome of a push, which the handler reads when it runs again to write its rows. */
export interface Pushed {
  isApplied: boolean;
}

export const notPushed = async (): Promise<Pushed> => ({ isApplied: false });

const PATIENCE_MS = 5_000;

/**
 * The act of a call that changes peers: gives the gateway the peers in the tables, with this change. `isStrict`: the
 * call is refused if the gateway cannot be reached. Otherwise it is told later (`schedules.ts`).
 */
export const pushAct = (
  services: Services,
  gateway: VpnGatewayRow,
  now: Date,
  pushed: Pushed,
  options: {
    readonly isStrict: boolean;
    readonly change: (rows: readonly VpnPeerRow[]) => readonly PeerSettings[];
  },
) => ({
  subject: gateway.id,
  patienceMs: PATIENCE_MS,
  async perform() {
    const rows = options.change(await peersOf(services.db, gateway.id));
    try {
      await push(services, gateway, rows, now);
      pushed.isApplied = true;
    } catch (error) {
      const isTolerable = error instanceof Problem && error.code === 'engine_unavailable';
      if (options.isStrict || !isTolerable) throw error;
    }
  },
});
