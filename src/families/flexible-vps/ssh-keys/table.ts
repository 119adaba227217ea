import type { Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { KeyType } from './public-key.ts';

interface SshKeysTable extends OwnedTable {
  public_key: string;
  type: KeyType;
  bits: number;
  fingerprint_sha256: string;
  fingerprint_md5: string;
  comment: string;
}

declare module '../../../store/database.ts' {
  interface Tables {
    ssh_keys: SshKeysTable;
  }
}

export type SshKeyRow = Selectable<Tables['ssh_keys']>;
