/** The backups of one machine, the newest first. */
import { useQuery } from '@tanstack/react-query';
import { filled, type NounFamily, nounNamed } from '../../../data/nouns.ts';
import { oneQuery } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import type { Backup, BackupPolicy } from '../../../data/storage-types.ts';
import { useRows } from '../../../resource/pages-of-list.ts';

export function useBackupsOf(families: readonly NounFamily[], vmId: string) {
  const path = nounNamed(families, 'backup')?.rows?.path ?? '';
  const { rows, ...more } = useRows('backup', path, { vm_id: vmId, sort: '-created_at' });
  return { ...more, backups: rows as readonly Backup[] | undefined };
}

/** Null: the machine has none, or this person may not see it. Undefined: it is being read. */
export function usePolicy(
  families: readonly NounFamily[],
  id: string | null,
): BackupPolicy | null | undefined {
  const account = useAccount();
  const noun = nounNamed(families, 'backup_policy');
  const found = useQuery({
    ...oneQuery(account, 'backup_policy', filled(noun?.read?.path ?? '', { id: id ?? '' })),
    enabled: noun?.read !== undefined && id !== null,
  });
  if (id === null || found.isError) return null;
  return found.data as BackupPolicy | undefined;
}
