import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureSize(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureSize']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureSize']>>> {
  throw new Error('not written yet');
}

export async function ensurePlacement(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensurePlacement']>
): Promise<Awaited<ReturnType<ComputeEngine['ensurePlacement']>>> {
  throw new Error('not written yet');
}
