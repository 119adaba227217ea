import { noteResource } from '../../../kernel/inventory/store.ts';
import type { Catalogue } from '../../../kernel/provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import type { ImageRow } from '../tables.ts';

const BYTES_PER_GB = 1e9;

export const imageResource = ({ id, name }: Pick<ImageRow, 'id' | 'name'>) => ({ type: 'image', id, name });

function noteOf(row: ImageRow, apiKeyId: string | null) {
  return {
    id: row.id,
    account_id: row.account_id,
    family: 'flexible-vps',
    type: 'image',
    name: row.name,
    status: row.status,
    location: row.locations[0] ?? null,
    labels: row.labels,
    parent_id: null,
    api_key_id: apiKeyId,
  };
}

/** As long as it is not there, or no longer, nothing is to be paid for it. */
export async function noteUnpaidImage(db: Db, row: ImageRow, apiKeyId: string | null = null): Promise<void> {
  await noteResource(db, { ...noteOf(row, apiKeyId), configuration: null });
}

/** It is paid for once, by its size, however many locations have a copy. */
export async function notePaidImage(db: Db, row: ImageRow, catalogue: Catalogue): Promise<void> {
  const note = noteOf(row, null);
  const size_gb = Math.ceil((row.size_bytes ?? 0) / (BYTES_PER_GB / 100)) / 100;
  if (note.location === null) throw new Error(`The image ${row.id} is available nowhere.`);
  await noteResource(db, { ...note, configuration: { location: note.location, size_gb } }, { catalogue });
}
