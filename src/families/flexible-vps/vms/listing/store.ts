import { sql } from 'kysely';
import type { Call } from '../../../../kernel/call.ts';
import { parseAddress } from '../../../../kernel/net/address.ts';
import type { Page } from '../../../../kernel/pages/store.ts';
import { readResources } from '../../listing/store.ts';
import type { VmRow } from '../../tables.ts';

interface Filters {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: string;
  readonly status?: string | undefined;
  readonly location?: string | undefined;
  readonly plan?: string | undefined;
  readonly image_id?: string | undefined;
  readonly network_id?: string | undefined;
  readonly firewall_id?: string | undefined;
  readonly placement_group_id?: string | undefined;
  readonly backup_policy_id?: string | undefined;
  readonly ip?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** What has an address, in a private network or in public. */
function holds(ip: string) {
  const address = parseAddress(ip)?.text;
  if (address === undefined) return sql<boolean>`false`;
  return sql<boolean>`vms.id in (
    select vm_id from public_addresses where vm_id is not null and block >>= ${address}::inet
    union all
    select vm_interfaces.vm_id from network_addresses
      join vm_interfaces on vm_interfaces.id = network_addresses.interface_id
      where network_addresses.address = ${address}::inet)`;
}

export function listMachines(call: Call<unknown, Filters>): Promise<Page<VmRow>> {
  const { status, location, plan, image_id, network_id, placement_group_id, ip, ids } = call.query;
  const { firewall_id, backup_policy_id } = call.query;
  let query = call.db.selectFrom('vms').selectAll('vms').where('vms.account_id', '=', call.caller.account.id);
  if (status !== undefined) query = query.where('vms.status', '=', status);
  if (location !== undefined) query = query.where('vms.location', '=', location);
  if (plan !== undefined) query = query.where('vms.plan', '=', plan);
  if (placement_group_id !== undefined)
    query = query.where('vms.placement_group_id', '=', placement_group_id);
  if (image_id !== undefined) query = query.where(sql<boolean>`vms.image ->> 'id' = ${image_id}`);
  if (network_id !== undefined)
    query = query.where('vms.id', 'in', (inner) =>
      inner.selectFrom('vm_interfaces').select('vm_id').where('network_id', '=', network_id),
    );
  if (ip !== undefined) query = query.where(holds(ip));
  if (ids !== undefined) query = query.where(sql<boolean>`vms.id = any(${[...ids]}::text[])`);
  // No machine has either yet.
  if (firewall_id !== undefined || backup_policy_id !== undefined) query = query.where(sql<boolean>`false`);
  return readResources(call, 'vms', 'listVms', query);
}
