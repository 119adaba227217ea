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

/** Objects that the sandbox of a port simulates. */
export interface SandboxObjects {
  /** The word for one of them, and the command that lists them: `machine`, `machines`. */
  readonly noun: string;
  readonly command: string;
  list(db: Db): Promise<readonly Readonly<Record<string, string | number | Date | null>>[]>;
  /** Maps each mishap, which can happen to one without a request, to its description. */
  readonly mishaps: Readonly<Record<string, string>>;
  /** Returns false if the object does not exist or is not running. */
  befall(db: Db, id: string, mishap: string): Promise<boolean>;
}

export interface SandboxDesk {
  /** Maps each effect to its description. */
  readonly effects: Readonly<Record<string, string>>;
  readonly calls: readonly string[];
  /** The locations that a sandbox serves, whichever port it stands behind. */
  locations(config: ProviderConfig): string[];
  /** One entry for each port whose sandbox simulates objects. */
  readonly objects: readonly SandboxObjects[];
  listFaults(db: Db): Promise<readonly FaultLine[]>;
  addFault(db: Db, order: FaultOrder): Promise<FaultLine>;
  /** Returns the number of deleted faults. */
  clearFaults(db: Db, id?: number): Promise<number>;
}
