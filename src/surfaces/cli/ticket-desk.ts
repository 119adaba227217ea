/** The interface of the ticket commands to the family support. Injected, because the command line imports no family. */
import type { Registry } from '../../kernel/registry.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import type { Db } from '../../store/database.ts';

export interface StaffContext {
  readonly db: Db;
  readonly config: ProviderConfig;
  readonly registry: Registry;
  readonly actor: { readonly name: string };
}

export interface StaffTicket {
  readonly id: string;
  readonly account_id: string;
  readonly number: number;
  readonly subject: string;
  readonly category: string;
  readonly severity: string;
  readonly status: string;
  readonly resources: readonly { readonly type: string; readonly id: string; readonly name: string }[];
  readonly assigned_to: string | null;
  readonly assigned_team: string | null;
  readonly message_count: number;
  readonly last_message_at: Date;
  readonly last_message_from: string;
  readonly first_response_due_at: Date | null;
  readonly first_response_at: Date | null;
  readonly created_at: Date;
  readonly follow_up_of: string | null;
}

export interface Conversation {
  readonly ticket: StaffTicket & { readonly account_name: string; readonly support_plan: string };
  readonly entries: readonly {
    readonly at: Date;
    readonly kind: string;
    readonly by: string;
    readonly body: string;
    readonly files: readonly {
      readonly id: string;
      readonly filename: string;
      readonly content_type: string;
      readonly size_bytes: number;
    }[];
  }[];
  readonly calls: readonly {
    readonly request_id: string;
    readonly action: string;
    readonly http_status: number | null;
    readonly problem_code: string | null;
  }[];
}

export interface TicketDesk {
  readonly statuses: readonly string[];
  list(
    db: Db,
    wanted: { readonly status?: string; readonly account?: string; readonly assignedTo?: string },
  ): Promise<readonly (StaffTicket & { readonly account_name: string; readonly support_plan: string })[]>;
  show(db: Db, id: string): Promise<Conversation>;
  reply(
    staff: StaffContext,
    id: string,
    answer: {
      readonly body: string;
      readonly as?: string | undefined;
      readonly then?: 'in_progress' | 'waiting_customer' | 'solved' | undefined;
    },
  ): Promise<StaffTicket>;
  note(staff: StaffContext, id: string, text: string): Promise<void>;
  assign(
    staff: StaffContext,
    id: string,
    to: { readonly person: string | null; readonly team?: string | undefined },
  ): Promise<StaffTicket>;
  solve(staff: StaffContext, id: string): Promise<StaffTicket>;
  readFile(
    staff: StaffContext,
    id: string,
  ): Promise<{ readonly filename: string; readonly content_type: string; readonly bytes: Buffer }>;
}
