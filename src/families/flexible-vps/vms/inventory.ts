/** What a machine costs, by the one price function, and the inventory that goes with it. */
import type { Cost } from '../../../kernel/effect.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { formatMoney, formatRate } from '../../../money/prices/format.ts';
import { type Priced, type PricedItem, price } from '../../../money/prices/price.ts';
import { noteResource } from '../../../resources/inventory/store.ts';
import type { Db } from '../../../store/database.ts';
import type { VmRow } from './table.ts';

type Currency = Pick<Services, 'provider'>;
type Prices = Pick<Services, 'tariff'>;

export interface SizeChoice {
  readonly plan?: string | undefined;
  readonly custom_size?:
    | { readonly vcpus: number; readonly memory_mb: number; readonly disk_gb: number }
    | undefined;
  readonly disk_gb?: number | undefined;
}

/** The part of a machine that has a price. Images of the account have none, so only those of the provider are named. */
export function configurationOf(
  location: string,
  { plan, custom_size, disk_gb }: SizeChoice,
  ipv4: 'ephemeral' | 'reserved' | 'none',
  publicImage: string | null,
): Record<string, unknown> {
  return {
    location,
    ...(plan === undefined ? {} : { plan }),
    ...(custom_size === undefined ? {} : { custom_size }),
    ...(disk_gb === undefined || custom_size !== undefined ? {} : { disk_gb }),
    public_ipv4: { mode: ipv4 },
    ...(publicImage === null ? {} : { source: { type: 'image', image_id: publicImage } }),
  };
}

export function priceVm(
  { tariff }: Prices,
  configuration: Readonly<Record<string, unknown>>,
  options: { readonly existing?: 'unchanged' | readonly { readonly sku: string }[]; readonly at?: Date } = {},
): Priced {
  const { at = new Date(), existing } = options;
  return price(tariff, 'vm', configuration, {
    at,
    ...(existing === undefined ? {} : { existing }),
  });
}

/** As fields of a body that has the members of the configuration itself. */
export const asBodyErrors = (problems: readonly FieldError[]): FieldError[] =>
  problems.map((error) => ({ ...error, pointer: error.pointer.replace(/^\/configuration/, '') }));

export function priceShown(
  { provider }: Currency,
  { hourly, monthly }: Pick<PricedItem, 'hourly' | 'monthly'>,
) {
  return {
    hourly: formatRate(hourly),
    monthly: formatMoney(monthly),
    currency: provider.provider.currency,
  };
}

/** What a change adds to the running cost; negative where it makes it cheaper. */
export function costOf(
  services: Currency,
  after: Pick<PricedItem, 'hourly' | 'monthly'> | null,
  before: Pick<PricedItem, 'hourly' | 'monthly'> | null,
  labels: Readonly<Record<string, string>>,
): Cost {
  const change = {
    hourly: (after?.hourly ?? 0n) - (before?.hourly ?? 0n),
    monthly: (after?.monthly ?? 0n) - (before?.monthly ?? 0n),
  };
  return { ...priceShown(services, change), labels };
}

const noteOf = (row: VmRow) => ({
  id: row.id,
  account_id: row.account_id,
  family: 'flexible-vps',
  type: 'vm',
  name: row.name,
  status: row.status,
  location: row.location,
  labels: row.labels,
  parent_id: null,
  is_stopped: row.status === 'stopped' || row.status === 'suspended',
});

/** Of a machine that costs nothing, so there is no price to work out. */
export async function noteUnbilled(db: Db, row: VmRow, apiKeyId?: string, at = new Date()): Promise<void> {
  const key = apiKeyId === undefined ? {} : { api_key_id: apiKeyId };
  await noteResource(db, { ...noteOf(row), ...key, configuration: null }, { at });
}

/** Called with every change of name, labels, status or size. */
export async function noteVm({ tariff }: Prices, db: Db, row: VmRow, at = new Date()): Promise<void> {
  if (!row.is_billed) return noteUnbilled(db, row, undefined, at);
  const note = { ...noteOf(row), configuration: row.configuration };
  await noteResource(db, note, { at, tariff });
}
