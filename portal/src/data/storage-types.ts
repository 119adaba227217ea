/** The answers of the API about what disks are made from and kept in. Their types need to know the tables of snapshots. */
import type { BackupPolicy as AnyPolicy } from '../../../src/families/flexible-vps/backup-policies/schema.ts';
import type { Backup as AnyBackup } from '../../../src/families/flexible-vps/backups/schema.ts';
import type { Image as AnyImage } from '../../../src/families/flexible-vps/images/schema.ts';
import type { Iso as AnyIso } from '../../../src/families/flexible-vps/isos/schema.ts';
import type {} from '../../../src/families/flexible-vps/snapshots/table.ts';
import type { Vm as AnyVm } from '../../../src/families/flexible-vps/vms/schema.ts';
import type {} from '../../../src/families/flexible-vps/volume-snapshots/table.ts';
import type { Frozen } from './types.ts';

export type Backup = Frozen<AnyBackup>;
export type BackupPolicy = Frozen<AnyPolicy>;
export type Image = Frozen<AnyImage>;
export type Iso = Frozen<AnyIso>;
export type Vm = Frozen<AnyVm>;
