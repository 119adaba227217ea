/** The object store port: where the backups of a location are kept. Even in a sandbox, the objects are real files. */
import { join } from 'node:path';
import type { Port } from '../port.ts';
import { examineObjects } from './doctor.ts';
import { openObjects } from './open.ts';
import type { ObjectStore } from './port.ts';
import { BackupStore } from './settings.ts';
import { checkBackups } from './settings-check.ts';

export const objects: Port<'objects', ObjectStore, BackupStore> = {
  name: 'objects',
  member: 'backups',
  Settings: BackupStore,
  check: checkBackups,
  files: {
    folder: 'when_used',
    access_key_file: 'when_used',
    secret_key_file: 'when_used',
    ca_file: 'when_used',
  },
  open: openObjects,
  examine: examineObjects,
  sandbox: {
    settings: (folder) => ({ driver: 'folder', folder: join(folder, 'backups') }),
    faults: { calls: [], effects: {} },
  },
};
