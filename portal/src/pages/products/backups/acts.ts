/** What can be done with a backup, and why something cannot be done just now. */

import { useWhyNot } from '../../../data/access.ts';
import { type NounFamily, nounNamed } from '../../../data/nouns.ts';
import type { Backup } from '../../../data/storage-types.ts';

const why: Readonly<Record<Backup['status'], string | undefined>> = {
  available: undefined,
  creating: 'It is still being made.',
  failed: 'It was not made.',
  deleting: 'It is being deleted.',
  deleted: 'It is deleted.',
};

export function useBackupActs(families: readonly NounFamily[]) {
  const whyNot = useWhyNot();
  const noun = nounNamed(families, 'backup');
  const may = (id: string | undefined): string | undefined => whyNot(id ?? '');
  return {
    restore: ({ status }: Backup) => may('restoreVm') ?? why[status],
    newMachine: ({ status }: Backup) => may('createVm') ?? why[status],
    download: ({ status }: Backup) => may('createVmBackupDownload') ?? why[status],
    make: may(noun?.create?.id),
  };
}
