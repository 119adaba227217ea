/** What taking or deleting a snapshot changes about the cost of an account; it depends on the space it takes. */
import type { Cost } from '../../../kernel/effect.ts';
import type { Services } from '../../../kernel/services.ts';
import { price } from '../../../money/prices/price.ts';
import { costOf } from '../../../resources/inventory/cost.ts';
import { inGb } from '../gigabytes.ts';
import type { VmRow } from '../vms/table.ts';
import type { SnapshotRow } from './table.ts';

function pricedAt({ tariff }: Pick<Services, 'tariff'>, { location }: VmRow, sizeGb: number, at: Date) {
  const priced = price(tariff, 'snapshot', { location, size_gb: sizeGb }, { at });
  return priced.ok ? priced.item : { hourly: 0n, monthly: 0n };
}

/** The maximum cost, for a copy of the whole disk, because the size is not known before the snapshot is taken. */
export function costOfTaking(services: Services, vm: VmRow, { labels }: SnapshotRow, at: Date): Cost {
  return costOf(services, pricedAt(services, vm, vm.disk_gb, at), null, labels);
}

export function costOfRemoving(services: Services, vm: VmRow, row: SnapshotRow, at: Date): Cost {
  const sizeGb = row.status === 'failed' ? 0 : inGb(row.size_bytes ?? 0);
  return costOf(services, null, pricedAt(services, vm, sizeGb, at), row.labels);
}
