/** What the engine is at already: whoever asks for the same again waits for it instead of beginning anew. */
import type { Ref } from '../instance.ts';
import { type EngineOperation, isForgotten } from './client.ts';
import { IncusError, isMissing } from './failure.ts';
import { projectOf } from './names.ts';
import { pathOf, type Site } from './site.ts';

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
      // Nothing was ever made for this account.
      if (isMissing(error)) return { running: [] };
      throw error;
    });
  const work = running.filter(isIt);
  for (const { id } of work) {
    await client.wait(id, signal).catch((error: unknown) => {
      // How it ends is for whoever began it, also if that is forgotten by now; we look at what is left.
      if (!(error instanceof IncusError || isForgotten(error))) throw error;
    });
  }
  return work.length > 0;
}

/** Returns when nothing is being done to this machine; whether there was. */
export const outwaitMachine = (site: Site, ref: Ref, signal?: AbortSignal): Promise<boolean> =>
  outwait(
    site,
    projectOf(ref),
    ({ resources }) =>
      (resources?.instances ?? []).some((path) => new URL(path, 'http://engine').pathname === pathOf(ref)),
    signal,
  );

/** Returns when no image of this account is being made: the engine does not say which one it is at. */
export const outwaitImages = (site: Site, ref: Ref, signal?: AbortSignal): Promise<boolean> =>
  outwait(site, projectOf(ref), ({ description }) => /image/i.test(description), signal);
