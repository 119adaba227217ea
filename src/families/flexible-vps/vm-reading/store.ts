/** Reads machines with their interfaces, addresses, volumes and pending operation in a single query. */
import { type InferResult, sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { readResources } from '../../../kernel/listing/store.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import type { Page } from '../../../kernel/pages/store.ts';
import { operationIn, type PendingJson, pendingOperation } from '../../../kernel/pending/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';
import { compiled, statement, textOf } from '../../../store/kept-text.ts';
import { type InterfaceJson, interfacesIn, interfacesOf } from '../interfaces/store.ts';
import { type TrafficJson, trafficPart } from '../traffic/store.ts';
import type { VmState } from '../vms/lifecycle.ts';
import type { VmRow } from '../vms/table.ts';
import { volumeIdsOf } from '../volumes/store.ts';
import type { Billed, VmParts } from './present.ts';

interface Filters {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: string;
  readonly status?: VmState | undefined;
  readonly location?: string | undefined;
  readonly plan?: string | undefined;
  readonly image_id?: string | undefined;
  readonly iso_id?: string | undefined;
  readonly network_id?: string | undefined;
  readonly firewall_id?: string | undefined;
  readonly placement_group_id?: string | undefined;
  readonly backup_policy_id?: string | undefined;
  readonly for_volume?: string | undefined;
  readonly ip?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** Matches machines of the account that have this public or private address. */
function hasAddress(accountId: string, ip: string) {
  const address = parseAddress(ip)?.text;
  if (address === undefined) return sql<boolean>`false`;
  return sql<boolean>`vms.id in (
    select vm_id from public_addresses
      where account_id = ${accountId} and vm_id is not null and block >>= ${address}::inet
    union all
    select i.vm_id from vps_networks n
      join network_addresses a on a.network_id = n.id and a.address = ${address}::inet
      join vm_interfaces i on i.id = a.interface_id
      where n.account_id = ${accountId})`;
}

const addresses = sql<VmParts['addresses']>`(
  select coalesce(json_agg(json_build_object('id', p.id, 'block', p.block, 'kind', p.kind,
    'interface_id', p.interface_id) order by p.kind, p.id), '[]')
  from public_addresses p where p.vm_id = vms.id)`;

const billed = sql<Billed>`(
  select json_build_object('hourly', r.price_hourly_micros, 'monthly', r.price_monthly_micros)
  from resources r where r.id = vms.id)`;

const parts = [
  compiled(interfacesOf('vms.id')).as('part_interfaces'),
  addresses.as('part_addresses'),
  compiled(pendingOperation('vms.id')).as('part_operation'),
  compiled(trafficPart('vms.id')).as('part_traffic'),
  billed.as('part_billed'),
  compiled(volumeIdsOf('vms.id')).as('part_volumes'),
] as const;

interface Whole {
  readonly vm: VmRow;
  readonly parts: VmParts;
}

/** Splits a row of `findWhole` or `listWhole` into the machine and its parts. */
export function wholeOf<
  R extends VmRow & {
    part_interfaces: readonly InterfaceJson[];
    part_addresses: VmParts['addresses'];
    part_operation: PendingJson;
    part_traffic: TrafficJson;
    part_billed: Billed;
    part_volumes: readonly string[];
  },
>({
  part_interfaces,
  part_addresses,
  part_operation,
  part_traffic,
  part_billed,
  part_volumes,
  ...vm
}: R): Whole {
  return {
    vm: vm as unknown as VmRow,
    parts: {
      interfaces: interfacesIn(part_interfaces),
      addresses: part_addresses,
      operation: operationIn(part_operation),
      traffic: part_traffic,
      billed: part_billed,
      volumeIds: part_volumes,
    },
  };
}

const wholeVm = (db: Db, accountId: string, id: string) =>
  db
    .selectFrom('vms')
    .selectAll('vms')
    .select([...parts])
    .where('id', '=', id)
    .where('account_id', '=', accountId);

export async function findWhole(db: Db, accountId: string, id: string): Promise<Whole> {
  type Row = InferResult<ReturnType<typeof wholeVm>>[number];
  const text = textOf('whole vm', () => wholeVm(db, accountId, id).compile().sql);
  const { rows } = await db.executeQuery(statement<Row>(text, [id, accountId]));
  const [row] = rows;
  if (row === undefined) throw new Problem('not_found');
  return wholeOf(row);
}

export async function listWhole(call: Call<unknown, Filters>): Promise<Page<Whole>> {
  const { status, location, plan, image_id, network_id, placement_group_id, ip, ids } = call.query;
  const { firewall_id, backup_policy_id, for_volume, iso_id } = call.query;
  let query = call.db
    .selectFrom('vms')
    .selectAll('vms')
    .select([...parts]);
  if (status !== undefined) query = query.where('vms.status', '=', status);
  if (location !== undefined) query = query.where('vms.location', '=', location);
  if (plan !== undefined) query = query.where('vms.plan', '=', plan);
  if (placement_group_id !== undefined)
    query = query.where('vms.placement_group_id', '=', placement_group_id);
  if (image_id !== undefined) query = query.where(sql<boolean>`vms.image ->> 'id' = ${image_id}`);
  if (iso_id !== undefined) query = query.where('vms.iso_id', '=', iso_id);
  if (network_id !== undefined)
    query = query.where('vms.id', 'in', (inner) =>
      inner.selectFrom('vm_interfaces').select('vm_id').where('network_id', '=', network_id),
    );
  if (for_volume !== undefined)
    query = query.where('vms.location', 'in', (inner) =>
      inner
        .selectFrom('vps_volumes')
        .select('location')
        .where('id', '=', for_volume)
        .where('account_id', '=', call.caller.account.id),
    );
  if (ip !== undefined) query = query.where(hasAddress(call.caller.account.id, ip));
  if (ids !== undefined) query = query.where(sql<boolean>`vms.id = any(${[...ids]}::text[])`);
  if (firewall_id !== undefined)
    query = query.where(
      sql<boolean>`vms.id = any(array(
        select m.vm_id from firewall_members m
        where m.firewall_id = ${firewall_id} and m.account_id = ${call.caller.account.id}))`,
    );
  if (backup_policy_id !== undefined) query = query.where('vms.backup_policy_id', '=', backup_policy_id);
  const { rows, nextCursor } = await readResources(call, 'vms', 'listVms', query);
  return { rows: rows.map(wholeOf), nextCursor };
}
