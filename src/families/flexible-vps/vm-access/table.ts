import type { Generated, Selectable } from 'kysely';
import type { Tables } from '../../../store/database.ts';

interface ConsoleSessionsTable {
  id: string;
  account_id: string;
  vm_id: string;
  /** The key that created the console session. The console lasts only while this key may create one. */
  api_key_id: string | null;
  /** The portal session of the person who created it without a key. The console lasts only as long. */
  session_id: string | null;
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
