/** Where the acts on a backup lead. */

import { addressOf, listAddress, type NounFamily, nounNamed } from '../../../data/nouns.ts';
import type { Backup } from '../../../data/storage-types.ts';

export interface To {
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

export function pageOfBackup(families: readonly NounFamily[], { id }: Pick<Backup, 'id'>, tab?: string): To {
  const noun = nounNamed(families, 'backup');
  return {
    to: noun === undefined ? '/' : addressOf(noun, families, id),
    search: tab === undefined ? {} : { tab },
  };
}

/** The form of a new machine, filled in as far as the backup says. */
export function newMachineFrom(families: readonly NounFamily[], { id, location }: Backup): To {
  const noun = nounNamed(families, 'vm');
  return {
    to: noun === undefined ? '/' : `${listAddress(noun)}/new`,
    search: { 'source.type': 'backup', 'source.backup_id': id, location },
  };
}
