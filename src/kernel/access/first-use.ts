/** The feed tells of the first call with a key, in the transaction that notes it: within a minute, as the use itself is seen. */
import type { Db } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { accountEventTypes, declaredAs } from '../events/account-types.ts';
import type { NewEvent } from '../events/event.ts';
import { writeEvents } from '../events/writing.ts';
import { type FirstUse, type KeyUse, writeUses } from './store.ts';

const declared = declaredAs(accountEventTypes);

const eventOf = ({ id, name, public_id, ip, operation }: FirstUse): NewEvent => ({
  type: 'api_key.first_used',
  resource: { type: 'api_key', id, name },
  message: `The API key ${name} was used for the first time, from ${ip}.`,
  data: { public_id, client_ip: ip, operation_id: operation },
});

export async function noteUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  await transact(db, async (tx) => {
    const first = await writeUses(tx, uses);
    // In one order everywhere: each account has a head that is locked.
    for (const use of first.sort((a, b) => (a.account_id < b.account_id ? -1 : 1))) {
      const actor = { kind: 'api_key', api_key_id: use.id, member_id: use.owner_id } as const;
      await writeEvents(tx, declared, { accountId: use.account_id, actor }, [eventOf(use)]);
    }
  });
}
