import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { IsoState } from './lifecycle.ts';

interface IsosTable extends OwnedTable {
  description: Generated<string>;
  architecture: 'amd64' | 'arm64';
  /** Without the query, because the query may contain a signature. `null` only for ISOs of the provider. */
  source_url: string | null;
  /** The complete URL, encrypted; `null` once the file is fetched. */
  sealed_url: Buffer | null;
  /** The locations that have the ISO. */
  locations: Generated<string[]>;
  size_bytes: number | null;
  sha256: string | null;
  status: IsoState;
  progress_percent: number | null;
  failure: { readonly code: string; readonly detail: string } | null;
  failed_at: Date | null;
  provisioned_at: Date | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vps_isos: IsosTable;
  }
}

export type IsoRow = Selectable<Tables['vps_isos']>;
