import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function ensureImage(
  _site: Site,
  ..._args: Parameters<ComputeEngine['ensureImage']>
): Promise<Awaited<ReturnType<ComputeEngine['ensureImage']>>> {
  throw new Error('not written yet');
}

export async function observeImage(
  _site: Site,
  ..._args: Parameters<ComputeEngine['observeImage']>
): Promise<Awaited<ReturnType<ComputeEngine['observeImage']>>> {
  throw new Error('not written yet');
}

export async function exportImage(
  _site: Site,
  ..._args: Parameters<ComputeEngine['exportImage']>
): Promise<Awaited<ReturnType<ComputeEngine['exportImage']>>> {
  throw new Error('not written yet');
}

export async function removeImage(
  _site: Site,
  ..._args: Parameters<ComputeEngine['removeImage']>
): Promise<Awaited<ReturnType<ComputeEngine['removeImage']>>> {
  throw new Error('not written yet');
}
