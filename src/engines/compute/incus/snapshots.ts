import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureSnapshot(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureSnapshot']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureSnapshot']>>> {
  throw new Error('not written yet');
}

export async function removeSnapshot(
  _site: Site,
  ..._args: Parameters<ComputeEngine['removeSnapshot']>
): Promise<Awaited<ReturnType<ComputeEngine['removeSnapshot']>>> {
  throw new Error('not written yet');
}

export async function ensureRestored(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureRestored']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureRestored']>>> {
  throw new Error('not written yet');
}
