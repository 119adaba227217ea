/** Starts, stops and restarts machines. A machine that is already in the wanted state is no error. */
import type { Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { keys, noteDone, wasDone } from './config-keys.ts';
import { keepingLog } from './consoles.ts';
import {
  changeInstance,
  findRaw,
  gone,
  insist,
  pathOf,
  type RawInstance,
  requireRaw,
  type Site,
} from './driver-context.ts';
import { IncusError, isBusy, isMissing, isShuttingDown } from './failure.ts';
import { prepareDrive } from './isos.ts';
import { projectOf } from './names.ts';
import { guardPorts, securePorts } from './ovn/ports.ts';
import { pastLeftRoutes } from './routes.ts';

const CUT_SECONDS = 60;
/** A shutdown that the engine refuses to begin has failed after this time. */
const REFUSED_SECONDS = 1;

type Change =
  | { readonly action: 'start' }
  | { readonly action: 'stop'; readonly force: boolean; readonly timeout: number };

const isOn = ({ status }: Pick<RawInstance, 'status'>): boolean => status === 'Running';
const isOff = ({ status }: Pick<RawInstance, 'status'>): boolean => status === 'Stopped';

/**
 * Sends the change without reading first, because there is usually something to do. If the engine refuses, the
 * machine is read. Returns false if it was already in the wanted state.
 */
async function change(
  site: Site,
  ref: Ref,
  body: Change,
  isThere: (raw: RawInstance) => boolean,
  signal?: AbortSignal,
): Promise<boolean> {
  const ask = { project: projectOf(ref), body, signal };
  try {
    await insist(() => site.client.run('PUT', `${pathOf(ref)}/state`, ask), signal);
    return true;
  } catch (error) {
    if (!(error instanceof IncusError)) throw error;
    if (isMissing(error) && /^(failed to fetch )?instance|project not found/i.test(error.message))
      throw gone(ref);
    const raw = await findRaw(site, ref, signal);
    if (raw === null) throw gone(ref);
    if (!isThere(raw)) throw error;
    return false;
  }
}

export async function ensureRunning(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['ensureRunning']>
): Promise<void> {
  const start = (): Promise<boolean> => change(site, ref, { action: 'start' }, isOn, signal);
  const devices = (raw: RawInstance): RawInstance['devices'] => raw.devices;
  await prepareDrive(site, ref, signal);
  await guardPorts(site, ref, signal);
  await keepingLog(site, ref, () => pastLeftRoutes(site, ref, devices, start, signal));
  await securePorts(site, ref, signal);
}

export async function ensureStopped(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['ensureStopped']>
): Promise<void> {
  await change(site, ref, { action: 'stop', force: true, timeout: CUT_SECONDS }, isOff, signal);
}

/** The engine has waited for the guest as long as it was told to. */
const isTimeout = (error: unknown): boolean =>
  error instanceof IncusError &&
  /deadline exceeded|timed? ?out|shutting down the container failed/i.test(error.message);

/** If the engine already waits for the guest, it has asked it. */
export async function requestShutdown(
  site: Site,
  ...[ref, timeout, signal]: Parameters<ComputeEngine['requestShutdown']>
): Promise<void> {
  if (isOff(await requireRaw(site, ref, signal))) return;
  const body: Change = { action: 'stop', force: false, timeout };
  const ask = { project: projectOf(ref), body, signal };
  try {
    await insist(
      () => site.client.begin('PUT', `${pathOf(ref)}/state`, REFUSED_SECONDS, ask),
      signal,
      (error) => isBusy(error) && !isShuttingDown(error),
    );
  } catch (error) {
    if (isShuttingDown(error) || isTimeout(error)) return;
    if (isOff(await requireRaw(site, ref, signal))) return;
    throw error;
  }
}

/** The operation that requested the newest restart, and the machine's start time before it. */
function askedOf({ config }: RawInstance): { readonly by: string; readonly before: string } {
  const [by = '', before = ''] = (config[keys.restart] ?? '').split(' ');
  return { by, before };
}

/**
 * The newest restart is done when the start time has changed. Earlier restarts are listed as done in the
 * configuration.
 */
function wasRestarted(raw: RawInstance, once: string): boolean {
  const { by, before } = askedOf(raw);
  return by === once ? before !== raw.last_used_at : wasDone(raw.config, once);
}

/**
 * A restart is done when the machine has started after the request. The operation id and the previous start time are
 * recorded while the machine is off. They cannot be recorded earlier: while the engine waits for a guest that ignores
 * the shutdown request, it rejects changes.
 */
export async function restart(
  site: Site,
  ...[ref, { once }, signal]: Parameters<ComputeEngine['restart']>
): Promise<void> {
  const raw = await requireRaw(site, ref, signal);
  if (wasRestarted(raw, once)) return;
  if (!isOff(raw)) await ensureStopped(site, ref, signal);
  let isDone = false;
  await changeInstance(
    site,
    ref,
    (off) => {
      isDone = wasRestarted(off, once);
      if (isDone || askedOf(off).by === once) return null;
      const asked = { [keys.restart]: `${once} ${off.last_used_at}` };
      return { config: { ...noteDone(off.config, once), ...asked } };
    },
    signal,
  );
  if (!isDone) await ensureRunning(site, ref, signal);
}
