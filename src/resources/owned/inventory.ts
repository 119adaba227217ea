/** The entry of an owned resource in the inventory. */
import type { Services } from '../../kernel/services.ts';
import type { PricedItem } from '../../money/prices/price.ts';
import type { Db } from '../../store/database.ts';
import { noteResource } from '../inventory/store.ts';

export interface InventoryEntry {
  /** `available`, unless the resource has states. */
  readonly status?: string;
  readonly location?: string | null;
  readonly parent_id?: string | null;
  readonly is_stopped?: boolean;
  /** The type by whose rules it is priced, where that is not its own. */
  readonly priced_as?: string;
  /** What it is made of, as far as its price follows from it. `null`, as by default, while it costs nothing. */
  readonly configuration?: Readonly<Record<string, unknown>> | null | 'unchanged';
}

export interface NoteOptions {
  /** When it came, changed or went; now, if left out. */
  readonly at?: Date;
  /** The key that creates it. */
  readonly apiKeyId?: string;
  /** Needed wherever the resource has a price. */
  readonly services?: Pick<Services, 'tariff'>;
}

interface Columns {
  readonly family: string;
  readonly type: string;
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly labels: Record<string, string>;
}

export async function noteOwned(
  db: Db,
  { family, type, id, account_id, name, labels }: Columns,
  { status = 'available', location = null, parent_id = null, configuration = null, ...rest }: InventoryEntry,
  { at, apiKeyId, services }: NoteOptions,
): Promise<PricedItem | null> {
  const key = apiKeyId === undefined ? {} : { api_key_id: apiKeyId };
  const note = { id, account_id, family, type, name, status, location, labels, parent_id, ...rest, ...key };
  const options = at === undefined ? {} : { at };
  if (configuration === 'unchanged') return noteResource(db, note, options);
  if (configuration === null) return noteResource(db, { ...note, configuration }, options);
  if (services === undefined) throw new Error(`Without a tariff ${id} has no price.`);
  return noteResource(db, { ...note, configuration }, { ...options, tariff: services.tariff });
}
