/** Schedules that end the time of peers and of the private keys that were generated for them. */
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { lockGateway } from '../vpn-gateways/store.ts';
import { vpnPeers } from '../vpn-peers/resource.ts';
import { erasePrivateKeys, expiredPeers, findPeer } from '../vpn-peers/store.ts';
import type { VpnPeerRow } from '../vpn-peers/table.ts';
import { reconcileGateway } from './gateways.ts';

/** The maximum per run; the next run disables the others. */
const AT_ONCE = 200;

async function disable({ db, registry }: Services, due: VpnPeerRow): Promise<void> {
  await transact(db, async (tx) => {
    const gateway = await lockGateway(tx, due.account_id, due.gateway_id);
    const row = gateway && (await findPeer(tx, due.account_id, due.gateway_id, due.id));
    if (row === undefined || !row.enabled || row.expires_at?.getTime() !== due.expires_at?.getTime()) return;
    await vpnPeers.change(tx, row.id, { enabled: false, applied_at: null });
    await writeEvents(tx, registry, { accountId: row.account_id, actor: HOSTPLANE }, [
      vpnPeers.event('expired', row),
    ]);
  });
}

/** The gateways lose their expired peers at once; one that cannot be reached loses them when it is reconciled. */
export const peerExpiry: Schedule = {
  name: 'flexible-vps.vpn-peer-expiry',
  everySeconds: 10,
  async run(services) {
    const due = await expiredPeers(services.db, AT_ONCE);
    for (const peer of due) await disable(services, peer);
    for (const id of new Set(due.map(({ gateway_id }) => gateway_id))) {
      await reconcileGateway(services, id).catch((error: unknown) =>
        services.log.warn(
          { err: error, resource: id },
          'expired peers could not be removed; the next run tries again',
        ),
      );
    }
  },
};

export const peerKeyErasure: Schedule = {
  name: 'flexible-vps.vpn-key-erasure',
  everySeconds: 60,
  run: ({ db }) => erasePrivateKeys(db),
};
