/** The configuration of a guest system, and how a machine is started with it. */
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
import type { Db } from '../../../store/database.ts';
import { placementOf } from '../placement-groups/store.ts';
import { isSameSize, sizeToGive } from '../resize/target.ts';
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
 * Corrects the size and the rescue mode if an interrupted operation left them wrong. A size that the engine refuses
 * does not prevent the start.
 */
async function straighten(
  engine: ComputeEngine,
  row: VmRow,
  before: Instance,
  signal: AbortSignal,
): Promise<void> {
  const size = sizeToGive(row, before);
  if (!isSameSize(size, before.size))
    await engine.ensureSize(refOf(row), size, signal).catch((error: unknown) => {
      if (!(error instanceof EngineRefused)) throw error;
    });
  if (before.rescue.wanted && row.rescue_expires_at === null)
    await engine.ensureRescue(refOf(row), null, signal);
}

/** Starts the machine. Placement and cloud-init data take effect only at a start, so each start sends them again. */
export async function bringUp(
  engine: ComputeEngine,
  db: Db,
  row: VmRow,
  signal: AbortSignal,
): Promise<Instance | null> {
  const ref = refOf(row);
  const before = await engine.observeInstance(ref, signal);
  if (before !== null && before.state !== 'running') {
    await straighten(engine, row, before, signal);
    await engine.ensurePlacement(ref, await placementOf(db, row.placement_group_id, row.id), signal);
    await engine.ensureGuest(ref, guestOf(row), signal);
    await engine.ensureRunning(ref, signal);
  }
  return engine.observeInstance(ref, signal);
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
