/**
 * Reconciles snapshots that the engine no longer has. If an operation was to remove a snapshot, its row is deleted.
 * Otherwise the snapshot is lost, and shown as `failed` until its owner deletes it or the engine has it again.
 */
import type { NewEvent } from '../../../kernel/events/event.ts';
import { forgetSnapshot } from '../snapshots/removal.ts';
import { snapshots as resource } from '../snapshots/resource.ts';
import { wasToBeRemoved } from '../snapshots/store.ts';
import type { SnapshotRow } from '../snapshots/table.ts';
import type { Held, Part } from './parts.ts';
import { tell } from './reconcile.ts';
import { lockSnapshotsUnchanged } from './store.ts';

/** `consistency` is known only after a snapshot was taken, so this snapshot was available before. */
const isLost = ({ status, consistency }: SnapshotRow): boolean => status === 'failed' && consistency !== null;

async function lose({ services, tx, row: vm, at }: Held, row: SnapshotRow): Promise<NewEvent[]> {
  const now = new Date(at);
  if (await wasToBeRemoved(tx, row)) return forgetSnapshot(tx, row.id, now);
  services.metrics.alarms.inc({ alarm: 'snapshot_lost' });
  services.log.error({ vm: vm.id, snapshot: row.id }, 'a snapshot is no longer at its engine');
  await resource.change(tx, row.id, { status: 'failed', failed_at: now });
  return [resource.event('lost', row, { says: `of ${vm.name} can no longer be found` })];
}

async function find({ services, tx, row: vm, at }: Held, row: SnapshotRow): Promise<NewEvent[]> {
  const found = { status: 'available', failed_at: null } as const;
  await resource.change(tx, row.id, found, { services, at: new Date(at) });
  return [resource.event('recovered', row, { says: `of ${vm.name} was found again` })];
}

export const snapshots: Part = {
  differs({ snapshots: kept, lost_snapshots }, seen) {
    const isThere = (id: string): boolean => seen.snapshots.some((each) => each.id === id);
    return !kept.every(isThere) || lost_snapshots.some(isThere);
  },
  async align(held) {
    const { services, tx, row: vm, seen, at } = held;
    for (const row of await lockSnapshotsUnchanged(tx, vm.id, at)) {
      const isThere = seen.snapshots.some(({ id }) => id === row.id);
      if (row.status === 'available' && !isThere) await tell(services, tx, vm, ...(await lose(held, row)));
      if (isLost(row) && isThere) await tell(services, tx, vm, ...(await find(held, row)));
    }
    return undefined;
  },
};
