/** The price of a machine and its entry in the inventory. All prices come from the same function, `price`. */
import type { FieldError } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { type Priced, price } from '../../../money/prices/price.ts';
import type { Db } from '../../../store/database.ts';
import { vms } from './resource.ts';
import type { VmRow } from './table.ts';

type Prices = Pick<Services, 'tariff'>;

export interface SizeChoice {
  readonly plan?: string | undefined;
  readonly custom_size?:
    | { readonly vcpus: number; readonly memory_mb: number; readonly disk_gb: number }
    | undefined;
  readonly disk_gb?: number | undefined;
}

/** The priced part of a machine. Only images of the provider can have a price, so other images are left out. */
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

/** Moves error pointers from `/configuration/…` to the root, where request bodies have these members. */
export const asBodyErrors = (problems: readonly FieldError[]): FieldError[] =>
  problems.map((error) => ({ ...error, pointer: error.pointer.replace(/^\/configuration/, '') }));

/** Records a machine that is not billed. This needs no tariff. */
export async function noteUnbilled(db: Db, row: VmRow, apiKeyId?: string, at = new Date()): Promise<void> {
  const key = apiKeyId === undefined ? {} : { apiKeyId };
  await vms.note(db, { ...row, is_billed: false }, { at, ...key });
}

/** Updates the inventory. Callers call it after each change of name, labels, status or size. */
export async function noteVm(services: Prices, db: Db, row: VmRow, at = new Date()): Promise<void> {
  await vms.note(db, row, { services, at });
}
