import type { Cost } from '../../../kernel/effect.ts';
import type { Services } from '../../../kernel/services.ts';
import { price } from '../../../money/prices/price.ts';
import type { Tariff } from '../../../money/prices/tariff.ts';
import { noteResource } from '../../../resources/inventory/store.ts';
import type { Db } from '../../../store/database.ts';
import { costOf } from '../vms/inventory.ts';
import type { ImageRow } from './table.ts';

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

const configurationOf = (location: string, { size_bytes }: ImageRow) => ({
  location,
  size_gb: Math.ceil((size_bytes ?? 0) / (BYTES_PER_GB / 100)) / 100,
});

/** It is paid for once, by its size, however many locations have a copy. */
export async function notePaidImage(db: Db, row: ImageRow, tariff: Tariff): Promise<void> {
  const note = noteOf(row, null);
  if (note.location === null) throw new Error(`The image ${row.id} is available nowhere.`);
  const configuration = configurationOf(note.location, row);
  await noteResource(db, { ...note, configuration }, { tariff });
}

export function costOfRemoving(
  services: Pick<Services, 'provider' | 'tariff'>,
  row: ImageRow,
  at: Date,
): Cost {
  const [location] = row.status === 'available' ? row.locations : [];
  const priced =
    location === undefined ? null : price(services.tariff, 'image', configurationOf(location, row), { at });
  return costOf(services, null, priced?.ok ? priced.item : null, row.labels);
}
