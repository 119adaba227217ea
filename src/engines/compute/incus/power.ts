import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureRunning(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureRunning']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureRunning']>>> {
  throw new Error('not written yet');
}

export async function ensureStopped(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureStopped']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureStopped']>>> {
  throw new Error('not written yet');
}

export async function restart(
  _site: Site,
  ..._args: Parameters<ComputeEngine['restart']>
): Promise<Awaited<ReturnType<ComputeEngine['restart']>>> {
  throw new Error('not written yet');
}
