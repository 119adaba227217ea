/**
 * Waits for operations that the engine is already running, so that a repeated call does not start the same work
 * again.
 */
import type { Ref } from '../instance.ts';
import { type EngineOperation, isForgotten } from './client.ts';
import { pathOf, type Site } from './driver-context.ts';
import { IncusError, isMissing } from './failure.ts';
import { projectOf } from './names.ts';

type Underway = EngineOperation & { readonly description: string };

async function outwait(
  { client }: Site,
  project: string,
  isIt: (operation: Underway) => boolean,
  signal?: AbortSignal,
): Promise<boolean> {
  const query = { recursion: 1 };
  const { running = [] } = await client
    .ask<{ readonly running?: readonly Underway[] }>('GET', '/1.0/operations', { project, query, signal })
    .catch((error: unknown) => {
      // The account has no project yet, so nothing was ever created for it.
      if (isMissing(error)) return { running: [] };
      throw error;
    });
  const work = running.filter(isIt);
  for (const { id } of work) {
    await client.wait(id, signal).catch((error: unknown) => {
      // The caller that started the operation handles its failure, even if the engine no longer knows the operation.
      // Callers of this function read what is left.
      if (!(error instanceof IncusError || isForgotten(error))) throw error;
    });
  }
  return work.length > 0;
}

/** Returns when the engine runs no operation on this machine; true if there was one. */
export const outwaitMachine = (site: Site, ref: Ref, signal?: AbortSignal): Promise<boolean> =>
  outwait(
    site,
    projectOf(ref),
    ({ resources }) =>
      (resources?.instances ?? []).some((path) => new URL(path, 'http://engine').pathname === pathOf(ref)),
    signal,
  );

/** Returns when the engine changes no volume of this account, because LXD does not report which volume it changes. */
export const outwaitVolumes = (site: Site, ref: Ref, signal?: AbortSignal): Promise<boolean> =>
  outwait(site, projectOf(ref), ({ description }) => /volume/i.test(description), signal);

/**
 * Returns when the engine creates no image in this project, because it does not report which image an operation
 * creates.
 */
export const outwaitImages = (site: Site, project: string, signal?: AbortSignal): Promise<boolean> =>
  outwait(site, project, ({ description }) => /image/i.test(description), signal);
