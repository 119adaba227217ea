import type { Schedule } from '../../../kernel/schedule.ts';
import { deleteFailed } from '../imports/failed-imports.ts';
import { deleteIsoKind } from './kinds.ts';
import { isos } from './resource.ts';

export const removeFailedIsos: Schedule = {
  name: 'failed-isos',
  everySeconds: 600,
  run: (services) => deleteFailed(services, 'vps_isos', isos, deleteIsoKind),
};
