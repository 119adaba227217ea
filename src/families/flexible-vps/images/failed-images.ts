/** The schedule that deletes images 7 days after they failed, and scratch folders that crashed processes left. */
import { startOperation } from '../../../kernel/operations/operations.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import { transact } from '../../../store/transaction.ts';
import { deleteImageKind } from './kinds.ts';
import { images } from './resource.ts';
import { sweepScratch } from './scratch.ts';
import { lockFailedImage, readStaleImages } from './store.ts';

const KEPT_DAYS = 7;

export const removeFailedImages: Schedule = {
  name: 'failed-images',
  everySeconds: 600,
  async run(services) {
    for (const id of await readStaleImages(services.db, KEPT_DAYS)) {
      await transact(services.db, async (tx) => {
        if ((await lockFailedImage(tx, id)) === undefined) return;
        const row = await images.change(tx, id, { status: 'deleting' });
        if (row === undefined) return;
        const start = { kind: deleteImageKind, input: {}, resource: images.ref(row) };
        await startOperation(tx, services.registry, start, { accountId: row.account_id });
      });
    }
    await sweepScratch(services);
  },
};
