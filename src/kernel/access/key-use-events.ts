/**
 * Emits an event for the first use of a key and for its use from a new address. The events are written in the
 * transaction that records the use, which is within a minute.
 */
import type { Db } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { accountEventTypes, declaredAs } from '../events/account-types.ts';
import type { NewEvent } from '../events/event.ts';
import { writeEvents } from '../events/write-events.ts';
import { parseAddress } from '../net/address.ts';
import { rateLimitKey } from '../net/client-address.ts';
import { type KeyUse, type NotedUse, writeAddresses, writeUses } from './store.ts';

const declared = declaredAs(accountEventTypes);

/** The most new-address events per key and write, because a key used from many addresses would flood the feed. */
const MOST_TOLD = 10;

const eventOf = (use: NotedUse, type: NewEvent['type'], told: string): NewEvent => ({
  type,
  resource: { type: 'api_key', id: use.id, name: use.name },
  message: `The API key ${use.name} was used ${told}.`,
  data: { public_id: use.public_id, client_ip: use.ip, operation_id: use.operation },
});

/** An IPv6 address counts as its /64, because IPv6 clients change their address within it many times a day. */
function networkOf(ip: string): string {
  const address = parseAddress(ip);
  return address === null ? ip : rateLimitKey(address);
}

export async function noteUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  const places = uses.flatMap(({ keyId, addresses }) =>
    [...addresses].map(([ip, first]) => ({ keyId, ip, network: networkOf(ip), ...first })),
  );
  await transact(db, async (tx) => {
    const first = await writeUses(tx, uses);
    const moved = await writeAddresses(tx, places, MOST_TOLD);
    const events = [
      ...first.map((use) => ({
        use,
        event: eventOf(use, 'api_key.first_used', `for the first time, from ${use.ip}`),
      })),
      ...moved.map((use) => ({
        use,
        event: eventOf(use, 'api_key.used_from_new_address', `from the new address ${use.ip}`),
      })),
    ];
    // Sorted by account, because each account's event head is locked and all processes need the same lock order.
    for (const { use, event } of events.sort((a, b) => (a.use.account_id < b.use.account_id ? -1 : 1))) {
      const actor = { kind: 'api_key', api_key_id: use.id, member_id: use.owner_id } as const;
      await writeEvents(tx, declared, { accountId: use.account_id, actor }, [event]);
    }
  });
}
