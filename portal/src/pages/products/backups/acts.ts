/** What can be done with a backup, and why something cannot be done just now. */

import { type NounFamily, nounNamed } from '../../../data/nouns.ts';
import { useAccount } from '../../../data/session.ts';
import type { Backup } from '../../../data/storage-types.ts';
import { useAccess, whyNot } from '../../../resource/acts.ts';

const why: Readonly<Record<Backup['status'], string | undefined>> = {
  available: undefined,
  creating: 'It is still being made.',
  failed: 'It was not made.',
  deleting: 'It is being deleted.',
  deleted: 'It is deleted.',
};

export function useBackupActs(families: readonly NounFamily[]) {
  const account = useAccount();
  const access = useAccess();
  const noun = nounNamed(families, 'backup');
  const may = (id: string | undefined): string | undefined => whyNot(access, id ?? '', account);
  return {
    restore: ({ status }: Backup) => may('restoreVm') ?? why[status],
    newMachine: ({ status }: Backup) => may('createVm') ?? why[status],
    download: ({ status }: Backup) => may('createVmBackupDownload') ?? why[status],
    make: may(noun?.create?.id),
  };
}
