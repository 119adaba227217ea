/**
 * The DNS port: the names of public addresses at the nameserver of one location. The nameserver and its zones belong to
 * the provider; Hostplane only writes PTR records into zones that exist. Every call can be repeated.
 */
import type { Engine, Engines } from '../engine.ts';
import type { EnginePort } from '../engine-port.ts';

/** A PTR record. The name has no dot at its end. */
export interface PtrRecord {
  readonly hostname: string;
  readonly ttlSeconds: number;
}

/** What the nameserver has for an address: more than one name if somebody else wrote there, too. */
export interface SeenPtr {
  readonly address: string;
  readonly hostnames: readonly string[];
  readonly ttlSeconds: number;
}

/** Addresses are IPv4 or IPv6 in their canonical text. */
export interface ReverseDns extends Engine {
  /**
   * Gives the address this name and no other. Refused with `not_found` if no zone holds the address, and with
   * `engine_failed` if the nameserver does not accept the record.
   */
  ensurePtr(address: string, record: PtrRecord, signal?: AbortSignal): Promise<void>;
  /** Refused with `not_found` if no zone holds the address. */
  removePtr(address: string, signal?: AbortSignal): Promise<void>;
  observePtr(address: string, signal?: AbortSignal): Promise<SeenPtr | null>;
  /** The addresses of a range that have names, in any order. What lies in no zone has none. */
  observePtrs(range: string, signal?: AbortSignal): Promise<readonly SeenPtr[]>;
  /**
   * The addresses to which a name leads for everybody, not only at this nameserver. Null if this engine has no DNS to
   * ask; `EngineUnreachable` if nobody answered.
   */
  lookUp(hostname: string, signal?: AbortSignal): Promise<readonly string[] | null>;
}

declare module '../../kernel/services.ts' {
  interface Services {
    readonly dns: Engines<ReverseDns>;
  }
}

export const dnsPort: EnginePort<ReverseDns> = {
  name: 'dns',
  engines: ({ dns }) => dns,
};
