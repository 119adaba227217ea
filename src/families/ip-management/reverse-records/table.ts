import type { Generated, Selectable } from 'kysely';

export interface ReverseRecordsTable {
  id: string;
  /** `null`: the address has no holder any more, and the nameserver gets its default name, or none. */
  account_id: string | null;
  /** The row of `public_addresses` that holds the address. */
  address_id: string | null;
  address: string;
  location: string;
  /** `null`: the default name of IPv4, or none. */
  hostname: string | null;
  ttl_seconds: Generated<number>;
  sync_status: Generated<'pending' | 'synced' | 'failed'>;
  /** Why the nameserver refused it. */
  sync_error: string | null;
  /** When the nameserver is told next; `null`: it has what is wanted. */
  due_at: Date | null;
  forward_confirmed: Generated<'yes' | 'no' | 'unknown'>;
  forward_checked_at: Date | null;
  forward_due_at: Date | null;
  /** How often the name was looked up again since it was set. */
  forward_checks: Generated<number>;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../../store/database.ts' {
  interface Tables {
    reverse_records: ReverseRecordsTable;
  }
}

export type ReverseRecordRow = Selectable<ReverseRecordsTable>;
