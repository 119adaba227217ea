/** The schedule that deletes ISOs 7 days after they failed. */
import { startOperation } from '../../../kernel/operations/operations.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import { transact } from '../../../store/transaction.ts';
import { deleteIsoKind } from './kinds.ts';
import { KEPT_DAYS } from './present.ts';
import { isos } from './resource.ts';
import { lockFailedIso, readStaleIsos } from './store.ts';

export const removeFailedIsos: Schedule = {
  name: 'failed-isos',
  everySeconds: 600,
  async run(services) {
    for (const id of await readStaleIsos(services.db, KEPT_DAYS)) {
      await transact(services.db, async (tx) => {
        if ((await lockFailedIso(tx, id)) === undefined) return;
        const row = await isos.change(tx, id, { status: 'deleting' });
        if (row === undefined) return;
        const start = { kind: deleteIsoKind, input: {}, resource: isos.ref(row) };
        await startOperation(tx, services.registry, start, { accountId: row.account_id });
      });
    }
  },
};
