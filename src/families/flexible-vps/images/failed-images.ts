/** The schedule that deletes failed images, and scratch folders that crashed processes left. */
import type { Schedule } from '../../../kernel/schedule.ts';
import { deleteFailed } from '../imports/failed-imports.ts';
import { sweepScratch } from '../imports/scratch.ts';
import { deleteImageKind } from './kinds.ts';
import { images } from './resource.ts';

export const removeFailedImages: Schedule = {
  name: 'failed-images',
  everySeconds: 600,
  async run(services) {
    await deleteFailed(services, 'vps_images', images, deleteImageKind);
    await sweepScratch(services);
  },
};
