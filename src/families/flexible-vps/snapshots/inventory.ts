/** Writes the inventory entries of snapshots and computes their cost, which depends on the space they take. */
import type { Cost } from '../../../kernel/effect.ts';
import type { Services } from '../../../kernel/services.ts';
import { price } from '../../../money/prices/price.ts';
import { costOf } from '../../../resources/inventory/cost.ts';
import { noteResource } from '../../../resources/inventory/store.ts';
import type { Db } from '../../../store/database.ts';
import { inGb } from '../gigabytes.ts';
import type { VmRow } from '../vms/table.ts';
import type { SnapshotRow } from './table.ts';

type Machine = Pick<VmRow, 'id' | 'location'>;

const noteOf = (row: SnapshotRow, { location }: Machine) => ({
  id: row.id,
  account_id: row.account_id,
  family: 'flexible-vps',
  type: 'snapshot',
  name: row.name,
  status: row.status,
  location,
  labels: row.labels,
  parent_id: row.vm_id,
});

const configurationOf = ({ location }: Machine, sizeGb: number) => ({ location, size_gb: sizeGb });

/** For snapshots that are being created or have failed: `configuration: null` means that they cost nothing. */
export async function noteUnbilled(
  db: Db,
  row: SnapshotRow,
  vm: Machine,
  apiKeyId: string | null = null,
): Promise<void> {
  const key = apiKeyId === null ? {} : { api_key_id: apiKeyId };
  await noteResource(db, { ...noteOf(row, vm), ...key, configuration: null });
}

export async function noteAvailable(
  { tariff }: Pick<Services, 'tariff'>,
  db: Db,
  row: SnapshotRow,
  vm: Machine,
  at = new Date(),
): Promise<void> {
  const configuration = configurationOf(vm, inGb(row.size_bytes ?? 0));
  await noteResource(db, { ...noteOf(row, vm), configuration }, { at, tariff });
}

/** Writes the status without a configuration, so the snapshot keeps its price until it is deleted. */
export async function noteStatus(db: Db, row: SnapshotRow, vm: Machine): Promise<void> {
  await noteResource(db, noteOf(row, vm));
}

function pricedAt({ tariff }: Pick<Services, 'tariff'>, vm: Machine, sizeGb: number, at: Date) {
  const priced = price(tariff, 'snapshot', configurationOf(vm, sizeGb), { at });
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
