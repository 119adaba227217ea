import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureNic(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureNic']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureNic']>>> {
  throw new Error('not written yet');
}

export async function removeNic(
  _site: Site,
  ..._args: Parameters<ComputeEngine['removeNic']>
): Promise<Awaited<ReturnType<ComputeEngine['removeNic']>>> {
  throw new Error('not written yet');
}
