import type { Generated, Selectable } from 'kysely';
import type { BearerColumns } from '../../../kernel/access/bearer.ts';
import type { Tables } from '../../../store/database.ts';

/** Belongs to the key or the portal session that created it. The console lasts only while these may create one. */
interface ConsoleSessionsTable extends BearerColumns {
  id: string;
  account_id: string;
  vm_id: string;
  type: 'graphical' | 'serial';
  token_hash: Buffer;
  expires_at: Date;
  opened_at: Date | null;
  /** Updated regularly while a client is connected. */
  seen_at: Date | null;
  created_at: Generated<Date>;
}

declare module '../../../store/database.ts' {
  interface Tables {
    console_sessions: ConsoleSessionsTable;
  }
}

export type ConsoleSessionRow = Selectable<Tables['console_sessions']>;
