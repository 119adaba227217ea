/**
 * Writes the observed state of a machine to its row, unless an operation works on the machine or the row changed after
 * the observation.
 */
import type { Instance, Ref } from '../../../engines/compute/port.ts';
import { holdIdle, type Moment } from '../../../engines/reconciler/store.ts';
import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { settleInterfaces } from '../vm-creation/store.ts';
import { letAddressesGo } from '../vm-deletion/delete-parts.ts';
import { noteUnbilled, noteVm } from '../vms/inventory.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { eventOf, isUpToEngine, judge, type Verdict, wasMade } from '../vms/verdict.ts';
import { settleVolumes } from '../volumes/machine-volumes.ts';
import type { ObservedMachine } from './observed-machine.ts';
import { agentOf, newsOf } from './runtime-facts.ts';
import { lockUnchanged, writeFacts } from './store.ts';

/** Long enough for users to see the state, and too long to be explained by the restart of a worker. */
const STUCK_AFTER_MS = 300_000;

/** Whether an idle machine stays in a transitional state. This is a bug: every operation ends in another state. */
export const isStuck = ({ status, updated_at }: Pick<VmRow, 'status' | 'updated_at'>, now: Date): boolean =>
  vmLife.transitional.some((state) => state === status) &&
  now.getTime() - updated_at.getTime() > STUCK_AFTER_MS;

/** Returns undefined if the row changed after `since`, does not exist, or if an operation works on it. */
export const holdIdleMachine = (tx: Tx, ref: Ref, since: Moment): Promise<VmRow | undefined> =>
  holdIdle(tx, () => lockUnchanged(tx, ref, since));

function seenIn(row: VmRow, seen: Instance | null, { status }: Verdict, now: Date) {
  if (seen === null) return { started_at: null };
  if (status !== 'running') return { host_group: seen.host, started_at: null };
  // The machine was started outside of Hostplane. If it booted with the seed of the row, that seed is now applied.
  const isApplied = seen.seed === row.seed && row.applied_seed !== seen.seed;
  return {
    host_group: seen.host,
    started_at: seen.startedAt,
    guest_agent: agentOf(row.guest_agent, seen, now),
    ...(isApplied ? { applied_seed: seen.seed, applied_user_data_sha256: row.user_data_sha256 } : {}),
  };
}

async function write(
  services: Services,
  tx: Tx,
  row: VmRow,
  verdict: Verdict,
  { at, seen }: ObservedMachine,
): Promise<void> {
  const changed = await updateVm(tx, row.id, { ...verdict, ...seenIn(row, seen, verdict, new Date(at)) });
  if (changed === undefined) return;
  await noteVm(services, tx, changed);
  const event = eventOf(row, verdict);
  if (event !== undefined) await tell(services, tx, row, event);
}

export async function tell(
  { registry }: Services,
  tx: Tx,
  { account_id: accountId }: VmRow,
  ...events: readonly NewEvent[]
): Promise<void> {
  await writeEvents(tx, registry, { accountId, actor: HOSTPLANE }, events);
}

/** Marks the creation as failed, because no operation is left to continue it. */
async function giveUp(tx: Tx, { id }: VmRow): Promise<void> {
  const now = new Date();
  await letAddressesGo(tx, id, now);
  await settleInterfaces(tx, id, 'failed');
  const change = {
    status: 'error' as const,
    status_reason: 'engine_failed',
    failed_at: now,
    is_billed: false,
  };
  const row = await updateVm(tx, id, change);
  if (row === undefined) return;
  await settleVolumes(tx, row, 'failed');
  await noteUnbilled(tx, row, undefined, now);
}

async function free(services: Services, tx: Tx, row: VmRow, observed: ObservedMachine): Promise<void> {
  const { log, metrics } = services;
  metrics.alarms.inc({ alarm: 'stuck_machine' });
  log.error(
    { vm: row.id, status: row.status },
    'a machine is in a transitional state, but no operation works on it',
  );
  if (!wasMade(row)) return giveUp(tx, row);
  const verdict = judge(row, observed.seen);
  if (verdict !== undefined) await write(services, tx, row, verdict, observed);
}

export async function align(services: Services, ref: Ref, observed: ObservedMachine): Promise<void> {
  const { at, seen } = observed;
  await transact(services.db, async (tx) => {
    const row = await holdIdleMachine(tx, ref, at);
    if (row === undefined) return;
    if (isStuck(row, new Date(at))) return free(services, tx, row, observed);
    if (!isUpToEngine(row)) return;
    const verdict = judge(row, seen);
    if (verdict !== undefined) return write(services, tx, row, verdict, observed);
    const news = seen === null ? undefined : newsOf(row, seen, new Date(at));
    if (news !== undefined) await writeFacts(tx, [news], at);
  });
}
