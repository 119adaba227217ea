import type { ComputeEngine } from '../port.ts';
import type { Site } from './site.ts';

export async function readConsoleLog(
  _site: Site,
  ..._args: Parameters<ComputeEngine['readConsoleLog']>
): Promise<Awaited<ReturnType<ComputeEngine['readConsoleLog']>>> {
  throw new Error('not written yet');
}

export async function openConsole(
  _site: Site,
  ..._args: Parameters<ComputeEngine['openConsole']>
): Promise<Awaited<ReturnType<ComputeEngine['openConsole']>>> {
  throw new Error('not written yet');
}
