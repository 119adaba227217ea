import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureNetwork(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureNetwork']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureNetwork']>>> {
  throw new Error('not written yet');
}

export async function observeNetwork(
  _site: Site,
  ..._args: Parameters<ComputeEngine['observeNetwork']>
): Promise<Awaited<ReturnType<ComputeEngine['observeNetwork']>>> {
  throw new Error('not written yet');
}

export async function removeNetwork(
  _site: Site,
  ..._args: Parameters<ComputeEngine['removeNetwork']>
): Promise<Awaited<ReturnType<ComputeEngine['removeNetwork']>>> {
  throw new Error('not written yet');
}
