import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureInstance(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureInstance']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureInstance']>>> {
  throw new Error('not written yet');
}

export async function observeInstance(
  _site: Site,
  ..._args: Parameters<ComputeEngine['observeInstance']>
): Promise<Awaited<ReturnType<ComputeEngine['observeInstance']>>> {
  throw new Error('not written yet');
}

export async function observeInstances(
  _site: Site,
  ..._args: Parameters<ComputeEngine['observeInstances']>
): Promise<Awaited<ReturnType<ComputeEngine['observeInstances']>>> {
  throw new Error('not written yet');
}

export async function removeInstance(
  _site: Site,
  ..._args: Parameters<ComputeEngine['removeInstance']>
): Promise<Awaited<ReturnType<ComputeEngine['removeInstance']>>> {
  throw new Error('not written yet');
}
