/** Writes what has an address that an account holds, in which state it is, and what the account calls it. */
import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import type { AddressStatus } from '../lifecycle.ts';
import { addresses } from '../resource.ts';
import type { PublicAddressRow } from '../table.ts';

interface Attachment {
  readonly vmId: string;
  /** `null` while the address is being attached to or detached from the machine. */
  readonly interfaceId: string | null;
}

/** An operation that is not finished gives the status in which it goes on. */
export async function setAttachment(
  db: Db,
  id: string,
  to: Attachment | null,
  status: AddressStatus = to === null ? 'available' : 'assigned',
): Promise<PublicAddressRow | undefined> {
  const vmId = to?.vmId ?? null;
  const row = await db
    .updateTable('public_addresses')
    .set({
      vm_id: vmId,
      interface_id: to?.interfaceId ?? null,
      status,
      assigned_at: sql`case when vm_id is not distinct from ${vmId} then assigned_at when ${vmId}::text is not null then now() end`,
      version: sql`version + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await addresses.note(db, row, { keepsPrice: true });
  return row;
}

export async function setStatus(
  db: Db,
  id: string,
  status: AddressStatus,
): Promise<PublicAddressRow | undefined> {
  const row = await db
    .updateTable('public_addresses')
    .set({ status, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('account_id', 'is not', null)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await addresses.note(db, row, { keepsPrice: true });
  return row;
}

type Described = Pick<PublicAddressRow, 'name' | 'labels' | 'description' | 'justification' | 'protected'>;

/** What the reservation of an address that was just allocated says about it. Nothing is billed before it is done. */
export async function beginReservation(
  db: Db,
  id: string,
  described: Partial<Described>,
): Promise<PublicAddressRow> {
  return db
    .updateTable('public_addresses')
    .set({ ...described, status: 'reserving', provisioned_at: null })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
