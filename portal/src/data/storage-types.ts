/** The answers of the API about what disks are made from and kept in. Their types need to know the tables of snapshots. */
import type { BackupPolicy as AnyPolicy } from '../../../src/families/flexible-vps/backup-policies/schema.ts';
import type { Backup as AnyBackup } from '../../../src/families/flexible-vps/backups/schema.ts';
import type {} from '../../../src/families/flexible-vps/snapshots/table.ts';
import type { Vm as AnyVm } from '../../../src/families/flexible-vps/vms/schema.ts';
import type {} from '../../../src/families/flexible-vps/volume-snapshots/table.ts';
import type { Frozen } from './types.ts';

export type Backup = Frozen<AnyBackup>;
export type BackupPolicy = Frozen<AnyPolicy>;
export type Vm = Frozen<AnyVm>;
