import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureGuest(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureGuest']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureGuest']>>> {
  throw new Error('not written yet');
}

export async function ensureRescue(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureRescue']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureRescue']>>> {
  throw new Error('not written yet');
}

export async function setPassword(
  _site: Site,
  ..._args: Parameters<ComputeEngine['setPassword']>
): Promise<Awaited<ReturnType<ComputeEngine['setPassword']>>> {
  throw new Error('not written yet');
}
