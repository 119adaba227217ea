import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function readCapacity(
  _site: Site,
  ..._args: Parameters<ComputeEngine['readCapacity']>
): Promise<Awaited<ReturnType<ComputeEngine['readCapacity']>>> {
  throw new Error('not written yet');
}

export async function fits(
  _site: Site,
  ..._args: Parameters<ComputeEngine['fits']>
): Promise<Awaited<ReturnType<ComputeEngine['fits']>>> {
  throw new Error('not written yet');
}
