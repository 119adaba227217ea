/** What the commands on the sandbox need of it; handed in, since the command line knows no engine. */
import type { OperationErrorCode } from '../../kernel/operations/schema.ts';
import type { Db } from '../../store/database.ts';

export interface FaultOrder {
  /** One of `effects`. */
  readonly effect: string;
  /** One of `calls`. */
  readonly call?: string | undefined;
  readonly location?: string | undefined;
  readonly target?: string | undefined;
  readonly skip?: number | undefined;
  readonly times?: number | undefined;
  readonly seconds?: number | undefined;
  readonly code?: OperationErrorCode | undefined;
  readonly detail?: string | undefined;
}

export interface FaultLine {
  readonly id: number;
  readonly location: string | null;
  readonly call: string | null;
  readonly target: string | null;
  readonly skip: number;
  readonly remaining: number | null;
  readonly struck: number;
  readonly effect: { readonly kind: string };
}

export interface MachineLine {
  readonly location: string;
  readonly account: string;
  readonly id: string;
  readonly hostname: string;
  readonly state: string;
  readonly host: string;
  readonly vcpus: number;
  readonly memory_mb: number;
  readonly disk_gb: number;
  readonly started_at: Date | null;
}

export interface SandboxDesk {
  /** Each with what it means. */
  readonly effects: Readonly<Record<string, string>>;
  readonly calls: readonly string[];
  /** What can happen to a machine by itself, each with what it means. */
  readonly mishaps: Readonly<Record<string, string>>;
  listFaults(db: Db): Promise<readonly FaultLine[]>;
  addFault(db: Db, order: FaultOrder): Promise<FaultLine>;
  /** How many went. */
  clearFaults(db: Db, id?: number): Promise<number>;
  listMachines(db: Db): Promise<readonly MachineLine[]>;
  /** False: there is no such machine, or it does not run. */
  befall(db: Db, machineId: string, mishap: string): Promise<boolean>;
}
