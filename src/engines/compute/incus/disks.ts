import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureRebuilt(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureRebuilt']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureRebuilt']>>> {
  throw new Error('not written yet');
}
