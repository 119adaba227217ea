/**
 * Reconciles the rescue setting. It differs from the row if an operation changed it at the engine and was interrupted
 * before it wrote the row.
 */
import { EngineRefused, type Instance } from '../../../engines/compute/port.ts';
import { RESCUE_HOURS, rescueEvent } from '../vm-access/rescue-kind.ts';
import { refOf } from '../vms/guest.ts';
import { updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import type { EngineCall, Held, Part } from './parts.ts';
import { tell } from './reconcile.ts';

const HOUR_MS = 3_600_000;

const isMisled = ({ rescue_expires_at }: Pick<VmRow, 'rescue_expires_at'>, { rescue }: Instance): boolean =>
  (rescue_expires_at !== null) !== rescue.wanted;

/** Resets the setting, so that the machine still boots from its own disk: no operation needs the rescue system. */
const takeBack =
  ({ services, row }: Held): EngineCall =>
  async (engine, signal) => {
    try {
      await engine.ensureRescue(refOf(row), null, signal);
    } catch (error) {
      if (!(error instanceof EngineRefused)) throw error;
      services.log.warn(
        { err: error, vm: row.id },
        'the engine refused to reset the rescue setting; the next start of the machine boots its rescue system',
      );
    }
  };

/** Writes the engine's setting to the row. A machine that already runs its rescue system gets the usual time there. */
async function follow({ services, tx, row, seen, at }: Held): Promise<void> {
  const { wanted: enabled, active } = seen.rescue;
  const until = new Date(Date.parse(at) + RESCUE_HOURS * HOUR_MS);
  await updateVm(tx, row.id, { rescue_expires_at: enabled ? until : null });
  const isBooted = seen.state === 'running' && active === enabled;
  await tell(services, tx, row, rescueEvent({ enabled, restart: isBooted }, row));
}

export const rescue: Part = {
  differs: isMisled,
  async align(held) {
    const { services, row, seen } = held;
    if (!isMisled(row, seen)) return undefined;
    services.metrics.alarms.inc({ alarm: 'rescue_drift' });
    services.log.warn(
      { vm: row.id, until: row.rescue_expires_at, rescue: seen.rescue },
      'the rescue setting of a machine at the engine differs from its row',
    );
    if (seen.rescue.wanted && !seen.rescue.active) return takeBack(held);
    await follow(held);
    return undefined;
  },
};
