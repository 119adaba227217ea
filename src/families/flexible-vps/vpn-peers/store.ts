import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import type { VpnPeerRow } from './table.ts';

export function findPeer(
  db: Db,
  accountId: string,
  gatewayId: string,
  id: string,
): Promise<VpnPeerRow | undefined> {
  return db
    .selectFrom('vpn_peers')
    .selectAll()
    .where('id', '=', id)
    .where('gateway_id', '=', gatewayId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/** All peers of a gateway, in the order of their ids. */
export function peersOf(db: Db, gatewayId: string): Promise<VpnPeerRow[]> {
  return db.selectFrom('vpn_peers').selectAll().where('gateway_id', '=', gatewayId).orderBy('id').execute();
}

/** What a peer reaches: the networks of its gateway. */
export async function readReach(db: Db, id: string) {
  return db
    .selectFrom('vpn_peers')
    .select([
      'enabled',
      'routed_cidrs',
      sql<readonly string[]>`array(
        select n.network_id from vpn_gateway_networks n
        where n.gateway_id = vpn_peers.gateway_id and n.state <> 'leaving' order by n.rank)`.as(
        'network_ids',
      ),
    ])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The configurations of all peers have changed, because the gateway has. */
export async function touchConfigs(db: Db, gatewayId: string, at: Date): Promise<void> {
  await db
    .updateTable('vpn_peers')
    .set({ config_changed_at: at, version: sql`version + 1` })
    .where('gateway_id', '=', gatewayId)
    .execute();
}

/** The gateway has these peers now. Settings that were changed since they were read stay unapplied. */
export async function markApplied(
  db: Db,
  peers: readonly Pick<VpnPeerRow, 'id' | 'version'>[],
): Promise<void> {
  await sql`
    update vpn_peers p set applied_at = now()
    from unnest(${peers.map(({ id }) => id)}::text[], ${peers.map(({ version }) => version)}::int[]) as s (id, version)
    where p.id = s.id and p.version = s.version and p.applied_at is null`.execute(db);
}

interface Counted {
  readonly public_key: string;
  readonly last_handshake_at: Date | null;
  readonly rx: number;
  readonly tx: number;
}

/**
 * Adds what the gateway counted since the last time, and returns the bytes that it has sent to all peers since then.
 * Smaller counts than before mean that it restarted. The version of the row stays, because nobody changed the peer.
 */
export async function addCounts(db: Db, gatewayId: string, counts: readonly Counted[]): Promise<number> {
  const { rows } = await sql<{ tx: number }>`
    update vpn_peers p set
      rx_bytes = p.rx_bytes + grown.rx, tx_bytes = p.tx_bytes + grown.tx,
      rx_counted = grown.rx_counted, tx_counted = grown.tx_counted,
      last_handshake_at = greatest(p.last_handshake_at, grown.at)
    from (
      select o.id, c.rx as rx_counted, c.tx as tx_counted, c.at,
        case when c.rx >= o.rx_counted then c.rx - o.rx_counted else c.rx end as rx,
        case when c.tx >= o.tx_counted then c.tx - o.tx_counted else c.tx end as tx
      from unnest(
        ${counts.map(({ public_key }) => public_key)}::text[], ${counts.map(({ rx }) => rx)}::bigint[],
        ${counts.map(({ tx }) => tx)}::bigint[],
        ${counts.map(({ last_handshake_at }) => last_handshake_at)}::timestamptz[]) as c (key, rx, tx, at)
      join vpn_peers o on o.gateway_id = ${gatewayId} and o.public_key = c.key
      where (o.rx_counted, o.tx_counted) is distinct from (c.rx, c.tx)) as grown
    where p.id = grown.id
    returning grown.tx`.execute(db);
  return rows.reduce((sent, { tx }) => sent + tx, 0);
}

export function expiredPeers(db: Db, limit: number): Promise<VpnPeerRow[]> {
  return db
    .selectFrom('vpn_peers')
    .selectAll()
    .where('enabled', '=', true)
    .where(sql<boolean>`expires_at <= now()`)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

export async function erasePrivateKeys(db: Db): Promise<void> {
  await sql`
    update vpn_peers set private_key = null, private_key_available_until = null, version = version + 1
    where private_key is not null and private_key_available_until <= now()`.execute(db);
}
