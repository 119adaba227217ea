/**
 * Operations on firewalls. The tables have the wanted rules from the moment a call was accepted; an operation brings
 * all of them into force, whichever call it was started by. Each firewall has its own queue.
 */
import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, NoInput } from '../../../kernel/operations/kind.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import { queueOf, readOperation } from '../../../kernel/operations/store.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { applyAt, refOf } from './engine-firewall.ts';
import { firewallLife } from './lifecycle.ts';
import { raiseVersions } from './members/store.ts';
import { firewalls } from './resource.ts';
import { attachmentsOf, lockFirewalls, readFirewall } from './store.ts';
import type { FirewallRow } from './table.ts';

const common = {
  family: 'flexible-vps',
  resourceType: 'firewall',
  queue: 'attach',
  cancellable: false,
} as const;

/** The status when an operation ends: the next one may already wait. */
async function settled(
  tx: Tx,
  { id, resourceId }: { readonly id: string; readonly resourceId: string },
  status: 'active' | 'error',
): Promise<FirewallRow['status']> {
  const next = (await queueOf(tx, [resourceId])).filter((each) => each.id !== id);
  if (next.length === 0) return status;
  return next.some(({ type }) => type === deleteFirewallKind.type) ? 'deleting' : 'applying';
}

export const applyFirewallKind = kind<typeof NoInput>({
  ...common,
  type: 'firewall.apply',
  input: NoInput,
  typicalSeconds: 2,
  everywhere: true,
  deadlineSeconds: 600,
  steps: [
    step('apply', async (work) => {
      const { db, resourceId, operationId, now } = work;
      const row = await readFirewall(db, resourceId);
      if (row === undefined) return failed('not_found', 'The firewall is gone.');
      for (const location of row.locations.toSorted()) await applyAt(work, row, location);
      return done({ changed: true }, async (tx) => {
        const status = await settled(tx, { id: operationId, resourceId }, 'active');
        await firewalls.change(tx, row.id, { status, status_reason: null, applied_at: now });
        return [firewalls.event('applied', row)];
      });
    }),
  ],
  async settle(tx, { id, status, resourceId, error }) {
    const row = status === 'succeeded' ? undefined : await readFirewall(tx, resourceId);
    if (row === undefined) return undefined;
    const after = await settled(tx, { id, resourceId }, 'error');
    await firewalls.change(tx, row.id, { status: after, status_reason: error?.code ?? null });
    return [firewalls.event('failed', row)];
  },
});

const LOOK_AGAIN_SECONDS = 2;

const DeleteInput = Shape({
  /** Whether attachments are removed with the firewall. */
  detach: Type.Boolean(),
  /** The status before the deletion; restored if the deletion fails before the engine is called. */
  was: firewallLife.Status,
});

export const deleteFirewallKind = kind<typeof DeleteInput>({
  ...common,
  type: 'firewall.delete',
  input: DeleteInput,
  typicalSeconds: 2,
  everywhere: true,
  // The same as for the deletion of a machine, because this operation waits for such deletions.
  deadlineSeconds: 3600,
  steps: [
    step('wait', async ({ db, resourceId, input }) => {
      const users = input.detach ? [] : await attachmentsOf(db, resourceId);
      if (users.length === 0) return done();
      if (users.some(({ is_leaving }) => !is_leaving))
        return failed('resource_in_use', 'The firewall is still attached.');
      return { kind: 'sleep', seconds: LOOK_AGAIN_SECONDS, waitingFor: 'users' };
    }),
    step('remove', async ({ db, resourceId, services, signal, now }) => {
      const row = await readFirewall(db, resourceId);
      if (row === undefined) return done({ changed: true });
      for (const location of row.locations.toSorted()) {
        const engine = engineAt(services.compute, location);
        await engine.removeFirewall(refOf(row), signal);
        if ((await engine.observeFirewall(refOf(row), signal)) !== null)
          return failed('engine_failed', 'The engine removed the firewall, but still reports it.', true);
      }
      return done({ changed: true }, async (tx) => {
        await raiseVersions(tx, row.id);
        await firewalls.erase(tx, row.id, { at: now });
        return [firewalls.event('deleted', row)];
      });
    }),
  ],
  async settle(tx, { id, status, resourceId, error }, { was }) {
    const row = status === 'succeeded' ? undefined : await readFirewall(tx, resourceId);
    if (row === undefined) return undefined;
    // Before the step `remove`, the engines still have the whole firewall.
    const isWhole = (await readOperation(tx, id))?.step !== 'remove';
    const after = isWhole
      ? { status: was === 'error' ? was : ('active' as const) }
      : { status: 'error' as const, status_reason: error?.code ?? null };
    await firewalls.change(tx, row.id, after);
    return undefined;
  },
});

/**
 * Starts an operation that applies the firewalls, for changes of machines. One that waits and has not begun is enough,
 * because it is going to read the changed rows.
 */
export async function applyLater(
  { db, services }: { readonly db: Db; readonly services: Services },
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  for (const row of await lockFirewalls(db, accountId, ids)) {
    if (row.status === 'deleting') continue;
    const waiting = (await queueOf(db, [row.id])).filter(({ started_at }) => started_at === null);
    if (waiting.length > 0) continue;
    await firewalls.change(db, row.id, { status: 'applying' });
    const start = { kind: applyFirewallKind, input: {}, resource: firewalls.ref(row) };
    await startOperation(db, services.registry, start, { accountId });
  }
}
