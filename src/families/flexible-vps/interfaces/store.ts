import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { readPage } from '../../../kernel/pages/store.ts';
import { operationIn, type PendingJson, pendingOperation } from '../../../kernel/pending/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Db, Tables } from '../../../store/database.ts';
import { firewallIdsOf } from '../firewalls/members/store.ts';
import { type PublicBlock, privateAddresses, publicAddresses, withoutDropped } from './held-addresses.ts';
import type { InterfaceState } from './lifecycle.ts';
import type { InterfaceAddresses } from './schema.ts';
import type { InterfaceRow } from './table.ts';

export interface AddressedInterface extends InterfaceRow {
  readonly addresses: InterfaceAddresses;
  /** Those of them that an engine routes to it: all but those whose traffic the provider drops. */
  readonly routed: InterfaceAddresses;
  /** The firewalls that apply to it. */
  readonly firewall_ids: readonly string[];
}

const privateHeld = sql<
  { address: string; role: string }[]
>`(select coalesce(json_agg(json_build_object('address', host(a.address), 'role', a.role) order by a.address), '[]')
  from network_addresses a where a.interface_id = vm_interfaces.id)`.as('private_addresses');

const publicHeld = sql<
  PublicBlock[]
>`(select coalesce(json_agg(json_build_object('address', host(p.block), 'version', family(p.block),
    'prefix', masklen(p.block), 'is_dropped', p.routing <> 'normal') order by p.kind, p.id), '[]')
  from public_addresses p where p.interface_id = vm_interfaces.id)`.as('public_blocks');

const firewalls = firewallIdsOf('vm_interfaces.vm_id', 'vm_interfaces.id').as('firewall_ids');

interface Held {
  readonly private_addresses: { address: string; role: string }[];
  readonly public_blocks: PublicBlock[];
  readonly firewall_ids: readonly string[];
}

function addressed<R extends InterfaceRow & Held>({
  private_addresses,
  public_blocks,
  ...row
}: R): Omit<R, 'private_addresses' | 'public_blocks'> & AddressedInterface {
  const addresses =
    row.kind === 'private' ? privateAddresses(private_addresses) : publicAddresses(public_blocks);
  const routed = row.kind === 'private' ? addresses : withoutDropped(addresses, public_blocks);
  return { ...row, addresses, routed } as Omit<R, 'private_addresses' | 'public_blocks'> & AddressedInterface;
}

/** A public interface with the addresses that were just attached to it, ephemeral ones first. */
export function withPublicBlocks(
  row: InterfaceRow,
  attached: readonly { readonly block: string; readonly kind: string }[],
): AddressedInterface {
  const blocks = [...attached]
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
    .map(({ block }) => {
      const [address = '', prefix = ''] = block.split('/');
      return { address, version: address.includes(':') ? 6 : 4, prefix: Number(prefix) };
    });
  const addresses = publicAddresses(blocks);
  return { ...row, addresses, routed: addresses, firewall_ids: [] };
}

/** Sorted in the order in which guests see them. The addresses of public interfaces are in `public_addresses`. */
export async function readInterfaces(db: Db, vmIds: readonly string[]): Promise<AddressedInterface[]> {
  if (vmIds.length === 0) return [];
  const rows = await db
    .selectFrom('vm_interfaces')
    .selectAll('vm_interfaces')
    .select([privateHeld, publicHeld, firewalls])
    .where(sql<boolean>`vm_id = any(${[...vmIds]}::text[])`)
    .orderBy('vm_id')
    .orderBy('position')
    .execute();
  return rows.map(addressed);
}

/** An interface row as JSON, in which times are strings. */
export type InterfaceJson = Readonly<Record<string, unknown>>;

/** A subquery for the interfaces of a machine, to read them with the machine. `vmId` is the column with its id. */
export const interfacesOf = (vmId: string): RawBuilder<readonly InterfaceJson[]> => sql<
  readonly InterfaceJson[]
>`(
  select coalesce(json_agg(to_jsonb(i) order by i.position), '[]') from (
    select vm_interfaces.*, ${privateHeld}, ${publicHeld}, ${firewalls},
      ${pendingOperation('vm_interfaces.id')} as pending
    from vm_interfaces where vm_interfaces.vm_id = ${sql.ref(vmId)}) i)`;

/** An interface with its pending operation, if there is one. */
export interface BusyInterface extends AddressedInterface {
  readonly operation: StoredOperation | undefined;
}

export const interfacesIn = (json: readonly InterfaceJson[]): BusyInterface[] =>
  json.map(({ pending, ...each }) =>
    addressed({
      ...(each as unknown as InterfaceRow & Held),
      operation: operationIn(pending as PendingJson),
      created_at: new Date(String(each['created_at'])),
      provisioned_at: each['provisioned_at'] === null ? null : new Date(String(each['provisioned_at'])),
      updated_at: new Date(String(each['updated_at'])),
    }),
  );

type ListCall = Parameters<typeof readPage>[0] & Pick<Call, 'db'>;

export interface InterfaceFilters {
  readonly kind?: string | undefined;
  readonly network_id?: string | undefined;
  readonly status?: InterfaceState | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

export async function listInterfaces(call: ListCall, vmId: string, filters: InterfaceFilters) {
  const { kind, network_id, status, created_after, created_before } = filters;
  let query = call.db
    .selectFrom('vm_interfaces')
    .selectAll('vm_interfaces')
    .select([privateHeld, publicHeld, firewalls, pendingOperation('vm_interfaces.id').as('pending')])
    .where('vm_id', '=', vmId)
    .where('account_id', '=', call.caller.account.id);
  if (kind !== undefined) query = query.where(sql<boolean>`kind = ${kind}`);
  if (network_id !== undefined) query = query.where('network_id', '=', network_id);
  if (status !== undefined) query = query.where('status', '=', status);
  if (created_after !== undefined)
    query = query.where(sql<boolean>`created_at >= ${created_after}::timestamptz`);
  if (created_before !== undefined)
    query = query.where(sql<boolean>`created_at < ${created_before}::timestamptz`);
  const id = { column: sql.ref('vm_interfaces.id'), type: 'text' } as const;
  const { rows, nextCursor } = await readPage(call, query, {
    endpoint: 'listVmInterfaces',
    id,
    sorts: {
      created_at: id,
      updated_at: { column: sql.ref('vm_interfaces.updated_at'), type: 'timestamptz' },
      index: { column: sql.ref('vm_interfaces.position'), type: 'bigint' },
    },
  });
  return {
    rows: rows.map((row) => ({ row: addressed(row), operation: operationIn(row.pending) })),
    nextCursor,
  };
}

/** Throws 404 if the machine has no such interface. */
export async function lockInterface(
  db: Db,
  accountId: string,
  vmId: string,
  id: string,
): Promise<AddressedInterface> {
  const locked = await db
    .selectFrom('vm_interfaces')
    .select('id')
    .where('id', '=', id)
    .where('vm_id', '=', vmId)
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  const row = locked && (await readInterfaces(db, [vmId])).find((each) => each.id === id);
  if (row === undefined) throw new Problem('not_found');
  return row;
}

/** Does not filter by account: callers with an id from a request check `account_id`. Undefined if it was deleted. */
export function readInterface(db: Db, id: string): Promise<InterfaceRow | undefined> {
  return db.selectFrom('vm_interfaces').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Increases the version, also for an empty change. Returns undefined if the interface was deleted. */
export function updateInterface(
  db: Db,
  id: string,
  change: Updateable<Tables['vm_interfaces']>,
): Promise<InterfaceRow | undefined> {
  return db
    .updateTable('vm_interfaces')
    .set({ ...change, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Also deletes its addresses in a private network. Returns false if the interface was already deleted. */
export async function deleteInterface(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('vm_interfaces').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export interface Holder {
  readonly address: string;
  readonly role: 'ipv4' | 'ipv6' | 'alias';
  readonly interface_id: string | null;
  readonly gateway_id: string | null;
  readonly vm_id: string | null;
}

/** The interfaces that currently have one of these addresses of the network. */
export async function readHolders(
  db: Db,
  networkId: string,
  addresses: readonly string[],
): Promise<Holder[]> {
  if (addresses.length === 0) return [];
  return db
    .selectFrom('network_addresses')
    .leftJoin('vm_interfaces', 'vm_interfaces.id', 'network_addresses.interface_id')
    .select([
      sql<string>`host(address)`.as('address'),
      'network_addresses.role',
      'network_addresses.interface_id',
      'network_addresses.gateway_id',
      'vm_interfaces.vm_id',
    ])
    .where('network_addresses.network_id', '=', networkId)
    .where(sql<boolean>`address = any(${[...addresses]}::inet[])`)
    .orderBy('address')
    .execute();
}

/** Skips addresses that an interface already has. */
export async function holdAddresses(
  db: Db,
  rows: readonly Insertable<Tables['network_addresses']>[],
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('network_addresses')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['network_id', 'address']).doNothing())
    .execute();
}

export async function dropAliases(db: Db, interfaceId: string, addresses: readonly string[]): Promise<void> {
  await db
    .deleteFrom('network_addresses')
    .where('interface_id', '=', interfaceId)
    .where('role', '=', 'alias')
    .where(sql<boolean>`address = any(${[...addresses]}::inet[])`)
    .execute();
}

/** Moves aliases from one interface to another in a single statement. */
export async function moveAliases(
  db: Db,
  from: string,
  to: string,
  addresses: readonly string[],
): Promise<void> {
  await db
    .updateTable('network_addresses')
    .set({ interface_id: to })
    .where('interface_id', '=', from)
    .where('role', '=', 'alias')
    .where(sql<boolean>`address = any(${[...addresses]}::inet[])`)
    .execute();
}

export async function readAliases(db: Db, interfaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('network_addresses')
    .select(sql<string>`host(address)`.as('alias'))
    .where('interface_id', '=', interfaceId)
    .where('role', '=', 'alias')
    .orderBy('address')
    .execute();
  return rows.map(({ alias }) => alias);
}
