/** The operation that creates the instance for a row in `creating` and starts it. */
import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { Shape, type Static, Type } from '../../../kernel/schema.ts';
import { removePassingImage, withPassingImage } from '../backups/use.ts';
import { applyFirewallsOf } from '../firewalls/engine-firewall.ts';
import { eraseVm, letAddressesGo, removeFromEngine } from '../vm-deletion/delete-parts.ts';
import { markRunning, refOf, seenOf, switchOn } from '../vms/guest.ts';
import { noteUnbilled, noteVm } from '../vms/inventory.ts';
import { vms } from '../vms/resource.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { plugVolumesOf, settleVolumes } from '../volumes/machine-volumes.ts';
import { ensureMade } from './create-instance.ts';
import { fetchImage } from './image.ts';
import { settleInterfaces } from './store.ts';

const Input = Shape({
  start: Type.Boolean(),
  /** For a copy of a machine or a snapshot: the machine that is copied, or that the snapshot belongs to. */
  source_vm_id: Type.Optional(Type.String()),
  /** Operations of older versions do not say it. */
  from_backup: Type.Optional(Type.Boolean()),
});
type Input = Static<typeof Input>;

const GONE = failed('not_found', 'The machine is gone.');

const withVm =
  (run: (work: Work<Input>, row: VmRow) => Promise<Outcome>) =>
  async (work: Work<Input>): Promise<Outcome> => {
    const row = await readVm(work.db, work.resourceId);
    return row === undefined ? GONE : run(work, row);
  };

export const createVmKind = kind<typeof Input>({
  type: 'vm.create',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'exclusive',
  input: Input,
  typicalSeconds: 20,
  deadlineSeconds: 1800,
  cancellable: true,
  steps: [
    step(
      'disk',
      withVm(async (work, row) => {
        const { services, db, signal, input } = work;
        const fetched =
          row.source.type === 'image' && row.image !== null ? await fetchImage(work, row, row.image) : done();
        if (fetched.kind !== 'done') return fetched;
        const engine = engineAt(services.compute, row.location);
        if (row.source.type === 'backup')
          await withPassingImage(work, row.source.id, row.location, (image) =>
            ensureMade(engine, db, row, signal, { image }),
          );
        else await ensureMade(engine, db, row, signal, { sourceVmId: input.source_vm_id });
        const made = await engine.observeInstance(refOf(row), signal);
        if (made === null)
          return failed(
            'engine_failed',
            'The engine reported that it created the machine, but cannot find it.',
            true,
          );
        if (row.iso_id !== null)
          await engine.ensureDrive(refOf(row), { iso: row.iso_id, bootOnce: false }, signal);
        await plugVolumesOf(work, row.id);
        await applyFirewallsOf(work, row);
        return fetched;
      }),
      { foreign: ({ input }) => input.from_backup !== false },
    ),
    step(
      'boot',
      withVm(async ({ services, signal, input, now }, row) => {
        const engine = engineAt(services.compute, row.location);
        const seen = input.start
          ? await switchOn(engine, row, signal)
          : await engine.observeInstance(refOf(row), signal);
        if (seen === null)
          return failed('engine_failed', 'The machine was created, but the engine can no longer find it.');
        if (input.start && seen.state !== 'running')
          return failed('engine_failed', `The machine was started, but it is ${seen.state}.`, true);
        return done({ changed: true }, async (tx) => {
          await settleInterfaces(tx, row.id, 'made');
          if (input.start) await markRunning(services, tx, row, seen, now);
          else {
            const { started_at: _, ...known } = seenOf(seen, now);
            const stopped = await updateVm(tx, row.id, { status: 'stopped', is_billed: true, ...known });
            if (stopped !== undefined) await noteVm(services, tx, stopped, now);
          }
          return [vms.event('created', row), ...(await settleVolumes(tx, row, 'made'))];
        });
      }),
      { final: true },
    ),
  ],
  undo: [
    step('remove', async (work) => {
      const { services, resourceId, db, signal } = work;
      const row = await readVm(db, resourceId);
      if (row === undefined) return done();
      if (row.source.type === 'backup') await removePassingImage(work, row.location);
      const removed = await removeFromEngine(engineAt(services.compute, row.location), row, signal);
      await applyFirewallsOf(work, row, { vmId: row.id });
      return removed;
    }),
  ],
  erase: (tx, id) => eraseVm(tx, id, new Date()),
  provisions: 'vms',
  async settle(tx, { status, resourceId: id, error }) {
    if (status !== 'failed') return undefined;
    const now = new Date();
    // The failed machine stays readable until it is deleted, at most for a day. It is not billed and has no addresses.
    await letAddressesGo(tx, id, now);
    await settleInterfaces(tx, id, 'failed');
    const row = await updateVm(tx, id, {
      status: 'error',
      status_reason: error?.code ?? 'engine_failed',
      failed_at: now,
      is_billed: false,
    });
    if (row === undefined) return undefined;
    await settleVolumes(tx, row, 'failed');
    await noteUnbilled(tx, row, undefined, now);
    return undefined;
  },
});
