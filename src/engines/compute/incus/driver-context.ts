/**
 * What all parts of the driver share: the client, the settings, the host ledger, and reading and changing instances.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { EngineRefused } from '../../errors.ts';
import type { Capabilities } from '../capabilities.ts';
import type { Ref } from '../instance.ts';
import type { NetworkSpec } from '../network.ts';
import type { Client } from './client.ts';
import type { ConsoleLogs } from './console-logs.ts';
import { isBusy, isMissing, isStale } from './failure.ts';
import type { Ledger } from './host-ledger.ts';
import { type NetworkType, nameOf, projectOf } from './names.ts';
import type { Northbound } from './ovn/northbound.ts';
import type { IncusSettings } from './settings.ts';

export interface Site {
  readonly location: string;
  readonly client: Client;
  readonly settings: IncusSettings;
  readonly capabilities: Capabilities;
  readonly ledger: Ledger;
  readonly logs: ConsoleLogs;
  readonly networks: NetworkKind;
  /** The database of OVN; null where private networks are bridges. */
  readonly northbound: Northbound | null;
  /** Cached after the first success; a failed request is repeated by the next call. */
  readServer(signal?: AbortSignal): Promise<Server>;
}

/** One of the two kinds of private networks that a location can have: bridges of one server, or networks of OVN. */
export interface NetworkKind {
  /** The type of the network at the engine. */
  readonly type: NetworkType;
  configOf(ref: Ref, spec: NetworkSpec): Record<string, string>;
  /** Called before a network is created; throws if this location cannot have it. */
  prepare(site: Site, ref: Ref, spec: NetworkSpec, signal?: AbortSignal): Promise<void>;
  /** Called after a network was created; if it throws, the network is removed again. */
  confirm(site: Site, ref: Ref, spec: NetworkSpec, signal?: AbortSignal): Promise<void>;
  /** Called after each `ensureNetwork`: sets what the engine has no settings for. */
  complete(site: Site, name: string, spec: NetworkSpec, signal?: AbortSignal): Promise<void>;
  /** Called after the network was removed: removes what `complete` has set. */
  clear(name: string, signal?: AbortSignal): Promise<void>;
  /** Whether the engine reports reliably which machines use a network. */
  readonly tellsUsers: boolean;
}

/** The reply of `GET /1.0`. */
export interface Server {
  readonly api_extensions: readonly string[];
  readonly auth: 'trusted' | 'untrusted';
  readonly environment: {
    /** `incus` or `lxd`. */
    readonly server: string;
    readonly server_version: string;
    readonly server_clustered: boolean;
    readonly server_name: string;
    /** The certificate that clients of this server expect, as PEM. */
    readonly certificate: string;
    readonly driver: string;
    readonly architectures: readonly string[];
    readonly kernel_version: string;
  };
}

/** The reply of `GET /1.0/instances/NAME`. */
export interface RawInstance {
  readonly name: string;
  readonly project: string;
  readonly type: 'container' | 'virtual-machine';
  /** `Running`, `Stopped`, `Frozen`, `Error`, or a transitional status. */
  readonly status: string;
  readonly status_code: number;
  /** The cluster member that runs it; `none` outside clusters. */
  readonly location: string;
  readonly architecture: string;
  readonly created_at: string;
  /** When it was last started. */
  readonly last_used_at: string;
  readonly ephemeral: boolean;
  readonly profiles: readonly string[];
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The parts of an instance that the driver changes. */
export interface Changeable {
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const pathOf = (ref: Ref): string => `/1.0/instances/${nameOf(ref.id)}`;

export async function askOrNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function findRaw({ client }: Site, ref: Ref, signal?: AbortSignal): Promise<RawInstance | null> {
  return askOrNull(() => client.ask<RawInstance>('GET', pathOf(ref), { project: projectOf(ref), signal }));
}

export const missing = (what: string, id: string): EngineRefused =>
  new EngineRefused('not_found', `There is no ${what} ${id}.`);
export const gone = ({ id }: Ref): EngineRefused => missing('machine', id);

export async function requireRaw(site: Site, ref: Ref, signal?: AbortSignal): Promise<RawInstance> {
  const raw = await findRaw(site, ref, signal);
  if (raw === null) throw gone(ref);
  return raw;
}

const TRIES = 40;
const PAUSE_MS = 100;

/** Repeats `act` while it fails because of a concurrent change or of other work on the same machine. */
export async function insist<T>(
  act: () => Promise<T>,
  signal?: AbortSignal,
  passes = (error: unknown): boolean => isBusy(error) || isStale(error),
): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await act();
    } catch (error) {
      if (left === 0 || !passes(error)) throw error;
      await wait(PAUSE_MS, undefined, { signal });
    }
  }
}

/**
 * Reads the instance and writes the result of `change`; null means no change. Starts over after a concurrent change.
 */
export async function changeInstance(
  site: Site,
  ref: Ref,
  change: (raw: RawInstance) => Partial<Changeable> | null,
  signal?: AbortSignal,
): Promise<void> {
  const project = projectOf(ref);
  await insist(async () => {
    const { value: raw, mark } = await site.client
      .askWithMark<RawInstance>(pathOf(ref), { project, signal })
      .catch((error: unknown) => {
        throw isMissing(error) ? gone(ref) : error;
      });
    const changed = change(raw);
    if (changed === null) return;
    const { architecture, config, devices, ephemeral, profiles, description } = raw;
    const body = { architecture, config, devices, ephemeral, profiles, description, ...changed };
    await site.client.run('PUT', pathOf(ref), { project, body, headers: { 'if-match': mark }, signal });
  }, signal);
}
