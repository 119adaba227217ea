/** The configuration of a guest system, and what the row of a machine says when it has been started or stopped. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import {
  type ComputeEngine,
  EngineRefused,
  type Guest,
  type Instance,
  type Ref,
} from '../../../engines/compute/port.ts';
import type { Commit } from '../../../kernel/operations/kind.ts';
import type { Services } from '../../../kernel/services.ts';
import { noteVm } from './inventory.ts';
import { updateVm } from './store.ts';
import type { VmRow } from './table.ts';

/** Maximum size of user data after base64 decoding. */
export const USER_DATA_BYTES = 65_536;

export const refOf = ({ account_id, id }: Pick<VmRow, 'account_id' | 'id'>): Ref => ({
  account: account_id,
  id,
});

const isGzip = (data: Buffer): boolean => data[0] === 0x1f && data[1] === 0x8b;

/** Returns the text that cloud-init reads: gzip data is decompressed. */
export function textOf(userData: Buffer): string {
  return (isGzip(userData) ? gunzipSync(userData) : userData).toString('utf8');
}

export const hashOf = (userData: Buffer | null): string | null =>
  userData === null ? null : createHash('sha256').update(userData).digest('hex');

export function guestOf(row: VmRow): Guest {
  return {
    seed: row.seed,
    hostname: row.hostname,
    userData: row.user_data === null ? null : textOf(row.user_data),
    sshKeys: row.ssh_public_keys,
    passwordHash: row.password_hash,
  };
}

/**
 * Starts an instance that the same operation created, with placement and guest data already set. Returns null if the
 * instance no longer exists.
 */
export async function switchOn(
  engine: ComputeEngine,
  row: VmRow,
  signal: AbortSignal,
): Promise<Instance | null> {
  try {
    await engine.ensureRunning(refOf(row), signal);
  } catch (error) {
    if (error instanceof EngineRefused && error.code === 'not_found') return null;
    throw error;
  }
  return engine.observeInstance(refOf(row), signal);
}

/** Returns the columns that store what the engine reports about a machine. */
export function seenOf(instance: Instance, now: Date) {
  return {
    host_group: instance.host,
    started_at: instance.startedAt,
    iso_boot_once: instance.drive?.bootOnce ?? false,
    ...(instance.agent === null
      ? {}
      : { guest_agent: { version: instance.agent.version, last_seen_at: now.toISOString() } }),
  };
}

/**
 * Called in the commit of a step that started the machine. If the machine runs with a new seed, the stored user data
 * is marked as applied.
 */
export async function markRunning(
  services: Services,
  tx: Parameters<Commit>[0],
  row: VmRow,
  instance: Instance,
  now: Date,
): Promise<void> {
  const isFirst = row.applied_seed !== instance.seed;
  const changed = await updateVm(tx, row.id, {
    status: 'running',
    status_reason: null,
    failed_at: null,
    is_billed: true,
    ...seenOf(instance, now),
    ...(isFirst ? { applied_seed: instance.seed, applied_user_data_sha256: row.user_data_sha256 } : {}),
  });
  if (changed !== undefined) await noteVm(services, tx, changed, now);
}

export async function markStopped(
  services: Services,
  tx: Parameters<Commit>[0],
  vmId: string,
  now: Date,
): Promise<void> {
  const changed = await updateVm(tx, vmId, { status: 'stopped', status_reason: null, started_at: null });
  if (changed !== undefined) await noteVm(services, tx, changed, now);
}
