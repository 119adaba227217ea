/** Writes the inventory entry of an owned resource. */
import type { Services } from '../../kernel/services.ts';
import type { PricedItem } from '../../money/prices/price.ts';
import type { Db } from '../../store/database.ts';
import { noteResource } from '../inventory/store.ts';

export interface InventoryEntry {
  /** Default: `available`, for resources without a lifecycle. */
  readonly status?: string;
  readonly location?: string | null;
  readonly parent_id?: string | null;
  readonly is_stopped?: boolean;
  /** The input of the price function. `null` (the default): free. */
  readonly configuration?: Readonly<Record<string, unknown>> | null;
  /** An operation works on the resource and will write its price. Until then the meter goes on at the present price. */
  readonly keepsPrice?: boolean;
}

export interface NoteOptions {
  /** The time of the creation, change or deletion; default: now. */
  readonly at?: Date;
  /** The API key that creates the resource. */
  readonly apiKeyId?: string | null;
  /** The resource was inserted by this transaction, so it has no inventory entry and no meter yet. */
  readonly isNew?: boolean;
  /** Only name, labels, status and location change. The meter goes on at the present price. */
  readonly keepsPrice?: true;
  /** Required if the resource has a configuration, and therefore a price, unless it keeps its price. */
  readonly services?: Pick<Services, 'tariff'>;
}

interface Columns {
  readonly family: string;
  readonly type: string;
  readonly pricedAs?: string | undefined;
  readonly id: string;
  readonly account_id: string;
  /** The inventory shows the id of a resource that has no name. */
  readonly name: string | null;
  readonly labels: Record<string, string>;
}

export async function noteOwned(
  db: Db,
  { family, type, pricedAs, id, account_id, name, labels }: Columns,
  { status = 'available', location = null, parent_id = null, configuration = null, ...entry }: InventoryEntry,
  { at, apiKeyId, keepsPrice, services, isNew = false }: NoteOptions,
): Promise<PricedItem | null> {
  const key = apiKeyId === undefined ? {} : { api_key_id: apiKeyId };
  const shown = {
    id,
    account_id,
    family,
    type,
    name: name ?? id,
    status,
    location,
    labels,
    parent_id,
    ...key,
  };
  const options = { isNew, ...(at === undefined ? {} : { at }) };
  const { keepsPrice: isBusy = false, ...rest } = entry;
  if (keepsPrice || isBusy) return noteResource(db, shown, options);
  const note = { ...shown, ...rest, ...(pricedAs === undefined ? {} : { priced_as: pricedAs }) };
  if (configuration === null) return noteResource(db, { ...note, configuration }, options);
  if (services === undefined) throw new Error(`Without a tariff ${id} has no price.`);
  return noteResource(db, { ...note, configuration }, { ...options, tariff: services.tariff });
}
