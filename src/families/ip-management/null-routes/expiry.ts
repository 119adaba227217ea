/** Ends null routes when their time is over, tells the holder, and lets the engine route the address again. */
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { addresses, textOf } from '../../../resources/addresses/resource.ts';
import { transact } from '../../../store/transaction.ts';
import { routeAddressKind } from './kind.ts';
import { dueNullRoutes, endNullRoute } from './store.ts';

const AT_ONCE = 200;

async function end({ db, registry }: Services, id: string): Promise<void> {
  await transact(db, async (tx) => {
    const row = await endNullRoute(tx, id);
    if (row === undefined || row.account_id === null) return;
    const { account_id: accountId, vm_id } = row;
    if (vm_id !== null) {
      const resource = addresses.ref({ id, name: row.name });
      const start = { kind: routeAddressKind, input: {}, resource, subjects: [id, vm_id] };
      await startOperation(tx, registry, start, { accountId }).catch((error: unknown) => {
        // If the machine is busy, the comparison of its interfaces with the table does it later.
        if (!(error instanceof Problem)) throw error;
      });
    }
    await writeEvents(tx, registry, { accountId, actor: HOSTPLANE }, [
      addresses.event('null_route_ended', { id, name: textOf(row) }),
    ]);
  });
}

export const nullRouteExpiry: Schedule = {
  name: 'ip-management.null-routes',
  everySeconds: 10,
  async run(services) {
    for (const { id } of await dueNullRoutes(services.db, AT_ONCE)) await end(services, id);
  },
};
