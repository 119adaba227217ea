/**
 * The interface of the sandbox commands to the sandbox engine. Injected, because the command line imports no engine.
 */
import type { OperationErrorCode } from '../../kernel/operations/schema.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
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
  /** Maps each effect to its description. */
  readonly effects: Readonly<Record<string, string>>;
  readonly calls: readonly string[];
  /** The locations that a sandbox serves, whichever port it stands behind. */
  locations(config: ProviderConfig): string[];
  /** Maps each mishap, which can happen to a machine without a request, to its description. */
  readonly mishaps: Readonly<Record<string, string>>;
  listFaults(db: Db): Promise<readonly FaultLine[]>;
  addFault(db: Db, order: FaultOrder): Promise<FaultLine>;
  /** Returns the number of deleted faults. */
  clearFaults(db: Db, id?: number): Promise<number>;
  listMachines(db: Db): Promise<readonly MachineLine[]>;
  /** Returns false if the machine does not exist or is not running. */
  befall(db: Db, machineId: string, mishap: string): Promise<boolean>;
}
