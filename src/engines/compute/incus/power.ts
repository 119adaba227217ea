/** On and off. What is so already is no error; what the guest does not do in time is. */
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { keys, noteDone, wasDone } from './config-keys.ts';
import { keepingLog } from './consoles.ts';
import { IncusError, isMissing } from './failure.ts';
import { projectOf } from './names.ts';
import { pastLeftRoutes } from './routes.ts';
import {
  changeInstance,
  findRaw,
  gone,
  insist,
  pathOf,
  type RawInstance,
  requireRaw,
  type Site,
} from './site.ts';

const CUT_SECONDS = 60;

type Change =
  | { readonly action: 'start' }
  | { readonly action: 'stop'; readonly force: boolean; readonly timeout: number };

const isOn = ({ status }: Pick<RawInstance, 'status'>): boolean => status === 'Running';
const isOff = ({ status }: Pick<RawInstance, 'status'>): boolean => status === 'Stopped';

/** Not looked at first: mostly there is something to do, and the engine says so where there is not. True: it did it. */
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
  await keepingLog(site, ref, () => pastLeftRoutes(site, ref, devices, start, signal));
}

export async function ensureStopped(
  site: Site,
  ...[ref, stop, signal]: Parameters<ComputeEngine['ensureStopped']>
): Promise<void> {
  const timeout = stop.force ? CUT_SECONDS : stop.timeoutSeconds;
  try {
    await change(site, ref, { action: 'stop', force: stop.force, timeout }, isOff, signal);
  } catch (error) {
    if (!stop.force && isTimeout(error)) throw deaf(stop.timeoutSeconds);
    throw error;
  }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof IncusError &&
  /deadline exceeded|timed? ?out|shutting down the container failed/i.test(error.message);

const deaf = (seconds: number): EngineRefused =>
  new EngineRefused(
    'shutdown_timeout',
    `The guest did not shut down within ${seconds} seconds; it still runs.`,
  );

/** Asked for by whom, and when it had been started before. */
function askedOf({ config }: RawInstance): { readonly by: string; readonly before: string } {
  const [by = '', before = ''] = (config[keys.restart] ?? '').split(' ');
  return { by, before };
}

/** Whoever asked before the last one has had his. */
function wasRestarted(raw: RawInstance, once: string): boolean {
  const { by, before } = askedOf(raw);
  return by === once ? before !== raw.last_used_at : wasDone(raw.config, once);
}

/**
 * It was done if it was started since it was asked for: when that was is written down, together with who asked, while it
 * is off. Not before: an engine that waits for a deaf guest takes no notes for a while.
 */
export async function restart(
  site: Site,
  ...[ref, stop, signal]: Parameters<ComputeEngine['restart']>
): Promise<void> {
  const { once } = stop;
  const raw = await requireRaw(site, ref, signal);
  if (wasRestarted(raw, once)) return;
  if (!isOff(raw)) await ensureStopped(site, ref, stop, signal);
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
