/** Builds the API representation of a machine from its row and the rows that belong to it. */

import { createHash } from 'node:crypto';
import type { Call } from '../../../kernel/call.ts';
import { findPrices } from '../../../kernel/inventory/store.ts';
import { presentOperation } from '../../../kernel/operations/schema.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import type { Services } from '../../../kernel/services.ts';
import { textOf } from '../../../resources/addresses/resource.ts';
import type { PublicAddressRow } from '../../../resources/addresses/store.ts';
import { attachedAddresses } from '../../../resources/addresses/store.ts';
import { FREE, priceShown, statePrices } from '../../../resources/inventory/cost.ts';
import type { Db } from '../../../store/database.ts';
import type { Arriving } from '../../../store/send-later.ts';
import type { Memberships } from '../firewalls/machine-firewalls.ts';
import { inGb } from '../gigabytes.ts';
import { presentInterface } from '../interfaces/schema.ts';
import { type BusyInterface, readInterfaces, withPublicBlocks } from '../interfaces/store.ts';
import type { InterfaceRow } from '../interfaces/table.ts';
import { periodStart } from '../traffic/count.ts';
import { readTraffic, type TrafficJson } from '../traffic/store.ts';
import { vms } from '../vms/resource.ts';
import type { Vm } from '../vms/schema.ts';
import type { VmRow } from '../vms/table.ts';
import { volumesOf } from '../volumes/store.ts';

async function readParts(db: Db, row: VmRow): Promise<VmParts> {
  const interfaces = await readInterfaces(db, [row.id]);
  const pending = await pendingOn(db, [row.id, ...interfaces.map(({ id }) => id)]);
  return {
    interfaces: interfaces.map((each) => ({ ...each, operation: pending.get(each.id) })),
    addresses: await attachedAddresses(db, [row.id]),
    operation: pending.get(row.id),
    traffic: await readTraffic(db, row.id),
    billed: (await findPrices(db, [row.id])).get(row.id) ?? null,
    volumeIds: (await volumesOf(db, row.id)).map(({ id }) => id),
  };
}

/** Bytes of an earlier month are left out: nothing was counted in this month yet. */
function trafficOf({ provider }: Services, { plan }: VmRow, counted: TrafficJson, now: Date): Vm['traffic'] {
  const { plans, custom_plan } = provider.catalogue;
  const sold = plans.find(({ slug }) => slug === plan) ?? custom_plan;
  const start = periodStart(now);
  const used = (bytes: number | undefined): number | null => {
    if (counted === null || bytes === undefined) return null;
    return Date.parse(counted.period_start) === start.getTime() ? inGb(bytes) : 0;
  };
  return {
    included_gb: sold?.traffic_gb_per_month ?? 0,
    used_out_gb: used(counted?.out_bytes),
    used_in_gb: used(counted?.in_bytes),
    period_start: start.toISOString(),
  };
}

/**
 * What is billed now, as in the inventory, and the price in both states. A machine that is being created shows what it
 * costs when it runs.
 */
function pricesOf(services: Services, { configuration, status }: VmRow, billed: Billed, now: Date) {
  const { hourly, monthly } = billed ?? { hourly: null, monthly: null };
  const amounts =
    hourly === null || monthly === null ? FREE : { hourly: BigInt(hourly), monthly: BigInt(monthly) };
  const subject = { pricedAs: vms.type, configuration };
  const { price_running, price_stopped } = statePrices(services, subject, now, amounts);
  const price = status === 'creating' ? price_running : priceShown(services, amounts);
  return { price, price_running, price_stopped };
}

/** Hashed per account: shows which machines of the account share a host, but not the host name or other accounts. */
function hostGroupOf({ account_id, location, host_group: host }: VmRow): string | null {
  if (host === null) return null;
  return createHash('sha256').update([account_id, location, host].join('\0')).digest('hex').slice(0, 16);
}

/** The prices in the inventory, in millionths; JSON has them as numbers. `null`: there is no entry, or nothing is billed. */
type Micros = number | bigint | null;
export type Billed = { readonly hourly: Micros; readonly monthly: Micros } | null;

/** The data from other tables that the API shows with a machine. */
export interface VmParts {
  readonly interfaces: readonly BusyInterface[];
  readonly addresses: readonly Pick<PublicAddressRow, 'id' | 'block' | 'kind' | 'interface_id'>[];
  readonly operation: StoredOperation | undefined;
  readonly traffic: TrafficJson;
  readonly billed: Billed;
  readonly volumeIds: readonly string[];
}

export function presentVm(
  services: Services,
  row: VmRow,
  { interfaces, addresses, operation, traffic, billed, volumeIds }: VmParts,
  now: Date,
): Vm {
  const front = interfaces.find(({ kind }) => kind === 'public');
  const { baseUrl } = services;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    status: row.status,
    status_reason: row.status_reason,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    location: row.location,
    plan: row.plan,
    requested: row.requested,
    vcpus: row.vcpus,
    memory_mb: row.memory_mb,
    disk_gb: row.disk_gb,
    architecture: row.architecture,
    hostname: row.hostname,
    image:
      row.image === null
        ? null
        : { id: row.image.id, slug: row.image.slug, name: row.image.name, os: row.image.os },
    source: row.source,
    boot_mode: row.boot_mode,
    secure_boot: row.secure_boot,
    interfaces: interfaces.map((each) => presentInterface(each, each.addresses, each.operation, baseUrl)),
    public_ips: addresses.map(({ id, block, kind, interface_id }) => ({
      ip_id: id,
      address: textOf({ block }),
      version: block.includes(':') ? 6 : 4,
      kind: kind === 'ephemeral' ? kind : 'reserved',
      interface_id,
    })),
    primary_ipv4: front?.addresses.ipv4 ?? null,
    primary_ipv6: front?.addresses.ipv6 ?? null,
    ipv6_prefix: addresses.find(({ block }) => block.includes(':'))?.block ?? null,
    volume_ids: [...volumeIds],
    iso: row.iso_id === null ? null : { iso_id: row.iso_id, boot_once: row.iso_boot_once },
    firewall_ids: [...new Set(interfaces.flatMap((each) => each.firewall_ids))].sort(),
    placement_group_id: row.placement_group_id,
    backup_policy_id: row.backup_policy_id,
    ssh_key_ids: row.ssh_key_ids,
    user_data_sha256: row.user_data_sha256,
    user_data_pending: row.user_data_sha256 !== row.applied_user_data_sha256,
    rescue: { active: row.rescue_expires_at !== null, expires_at: timeOf(row.rescue_expires_at) },
    guest_agent: {
      connected: row.status === 'running' && row.guest_agent !== null && !row.guest_agent.is_silent,
      version: row.guest_agent?.version ?? null,
      last_seen_at: row.guest_agent?.last_seen_at ?? null,
    },
    protection: { delete: row.protected_delete, redeploy: row.protected_redeploy },
    traffic: trafficOf(services, row, traffic, now),
    host_group: hostGroupOf(row),
    maintenance: row.maintenance,
    ...pricesOf(services, row, billed, now),
    started_at: timeOf(row.started_at),
    etag: vms.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: timeOf(row.provisioned_at),
    updated_at: row.updated_at.toISOString(),
  };
}

const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null;

type Asking = Pick<Call, 'db' | 'services' | 'now'>;

interface NewParts {
  readonly row: VmRow;
  readonly front: Arriving<InterfaceRow> | null;
  readonly addresses: readonly PublicAddressRow[];
  readonly volumeIds: readonly string[];
  readonly firewalls: Memberships;
}

/** Presents a machine that this call has just inserted: only `operation` can be pending. */
export async function showNewVm(
  { db, services, now }: Asking,
  { row, front, addresses, volumeIds, firewalls }: NewParts,
  hasNetworks: boolean,
  operation: StoredOperation,
): Promise<Vm> {
  const interfaces = hasNetworks
    ? await readInterfaces(db, [row.id])
    : ((await front?.rows) ?? []).map((each) => ({
        ...withPublicBlocks(each, addresses),
        firewall_ids: firewalls.map(({ firewall_id }) => firewall_id),
      }));
  const idle = interfaces.map((each) => ({ ...each, operation: undefined }));
  return presentVm(
    services,
    row,
    { interfaces: idle, addresses, operation, traffic: null, billed: null, volumeIds },
    now,
  );
}

/** Presents the machine with `operation`, which the call has just started, or else with its pending operation. */
export async function showVm(call: Asking, row: VmRow, operation?: StoredOperation): Promise<Vm> {
  const { db, services, now } = call;
  const parts = await readParts(db, row);
  return presentVm(services, row, operation === undefined ? parts : { ...parts, operation }, now);
}
