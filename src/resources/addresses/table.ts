import type { Generated, Selectable } from 'kysely';
import type { Tables } from '../../store/database.ts';
import type { OwnedTable } from '../owned/table.ts';
import type { AddressStatus } from './lifecycle.ts';

/** `subnet`: reserved, and larger than what machines get: routed as a whole. */
export type AddressKind = 'ephemeral' | 'reserved' | 'subnet';

/** The columns of addresses that accounts hold. Free ones have neither account nor name, and only `store.ts` reads them. */
interface PublicAddressesTable extends OwnedTable {
  description: Generated<string>;
  status: Generated<AddressStatus>;
  pool: string;
  location: string;
  /** `203.0.113.7/32`, or an IPv6 prefix. */
  block: string;
  /** In quarantine: what it was before. */
  kind: AddressKind;
  /** Why the account needs a block that large; null if it did not say. */
  justification: string | null;
  protected: Generated<boolean>;
  vm_id: string | null;
  interface_id: string | null;
  gateway_id: string | null;
  /** When the machine or the gateway got it. */
  assigned_at: Date | null;
  /** `null_routed`: the provider drops its traffic. */
  routing: Generated<'normal' | 'null_routed'>;
  null_route_reason: string | null;
  null_route_since: Date | null;
  null_route_until: Date | null;
  /** Before this time only the former account may have the address; `null` while an account holds it. */
  quarantined_until: Date | null;
  former_account_id: string | null;
  provisioned_at: Date | null;
}

declare module '../../store/database.ts' {
  interface Tables {
    public_addresses: PublicAddressesTable;
    /** How many blocks of each range already have been cut into rows of `public_addresses`. */
    address_pool_cuts: { cidr: string; cut: number };
  }
}

export type PublicAddressRow = Selectable<Tables['public_addresses']>;
