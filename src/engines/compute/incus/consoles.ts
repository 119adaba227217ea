/**
 * The serial console of a machine and its log. The log of a stopped machine is a file that can be read again and
 * again. Of a running machine, the engine returns each piece of output only once, so the driver stores what it read.
 * A machine has one serial line, and a new connection replaces the previous one.
 */
import type { WebSocket } from 'ws';
import { refuseMissingCapability } from '../../capability.ts';
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { ComputeEngine, Console } from '../port.ts';
import type { EngineOperation } from './client.ts';
import { KEPT_BYTES } from './console-logs.ts';
import { joinLine } from './console-stream.ts';
import { gone, pathOf, requireRaw, type Site } from './driver-context.ts';
import { IncusError, isMissing } from './failure.ts';
import { projectOf } from './names.ts';

/**
 * The engine's default limits are half of the log size that we show, and it empties the log file when the file is
 * full.
 */
export const consoleConfig = { 'raw.lxc': 'lxc.console.buffer.size = 256KB\nlxc.console.size = 4MB' };

const consoleOf = (ref: Ref): string => `${pathOf(ref)}/console`;

/** The machine printed nothing yet, or was never started. */
const isEmpty = (error: unknown): boolean =>
  error instanceof IncusError && /no data available|ENODATA|no such file/i.test(error.message);

/** Takes no abort signal: the engine does not return the same output twice, so an aborted read would lose it. */
async function hear({ client }: Site, ref: Ref): Promise<string> {
  try {
    return await client.askText(consoleOf(ref), { project: projectOf(ref) });
  } catch (error) {
    if (isEmpty(error)) return '';
    throw isMissing(error) ? gone(ref) : error;
  }
}

function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  // Do not start within a multi-byte UTF-8 character.
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start).toString();
}

export async function readConsoleLog(
  site: Site,
  ...[ref, maxBytes, signal]: Parameters<ComputeEngine['readConsoleLog']>
): Promise<string> {
  const { status } = await requireRaw(site, ref, signal);
  const text = await hear(site, ref);
  if (status === 'Stopped') return endOf(text, maxBytes);
  return endOf(text === '' ? await site.logs.find(ref) : await site.logs.append(ref, text), maxBytes);
}

/**
 * Preserves the console output from before a start. `work` starts the machine and returns false if it was already
 * running.
 */
export async function keepingLog(site: Site, ref: Ref, work: () => Promise<boolean>): Promise<void> {
  const before = await hear(site, ref);
  const wasStarted = await work();
  if (before === '') return;
  if (wasStarted) await site.logs.keep(ref, endOf(before, KEPT_BYTES));
  else await site.logs.append(ref, before);
}

/** The machine has to be stopped. */
export async function clearLog(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  try {
    await site.client.run('DELETE', consoleOf(ref), { project: projectOf(ref), signal });
  } catch (error) {
    // The machine has no log.
    if (!(error instanceof IncusError)) throw error;
  }
  await site.logs.forget(ref);
}

const protocols = { serial: 'serial', graphical: 'spice' } as const;

export async function openConsole(
  site: Site,
  ...[ref, kind, signal]: Parameters<ComputeEngine['openConsole']>
): Promise<Console> {
  if (kind === 'graphical') refuseMissingCapability(site.capabilities, 'graphicalConsole');
  const { status } = await requireRaw(site, ref, signal);
  if (status !== 'Running')
    throw new EngineRefused('invalid_state', 'The machine is off. Start it to open its console.');
  const body = kind === 'serial' ? { type: 'console', width: 80, height: 24, force: true } : { type: 'vga' };
  const { id, metadata } = await site.client.ask<EngineOperation>('POST', consoleOf(ref), {
    project: projectOf(ref),
    body,
    signal,
  });
  const { '0': data, control } = (metadata?.fds ?? {}) as Record<string, string | undefined>;
  const open = (secret: string | undefined): WebSocket =>
    site.client.openSocket(`/1.0/operations/${id}/websocket`, { secret });
  const stream = await joinLine(open(data), open(control), kind, signal);
  return { protocol: protocols[kind], stream };
}
