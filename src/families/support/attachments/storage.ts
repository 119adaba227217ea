/**
 * Where the bytes of files are. A call writes them into the database, encrypted, together with the message, so that a
 * ticket can be opened while a store does not answer. A schedule moves them into the store of a location.
 */

import { engineAt } from '../../../engines/engine-step.ts';
import { EngineUnreachable } from '../../../engines/errors.ts';
import type { ObjectStore } from '../../../engines/objects/port.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { findAttachment, noteMoved, readSealed, unmoved } from './store.ts';

type Needs = Pick<Services, 'db' | 'objects' | 'secrets'>;

export const keyOf = ({ account_id, id }: { readonly account_id: string; readonly id: string }): string =>
  `tickets/${account_id}/${id}/0`;

/** Files belong to no location: the first that has a store takes them. */
const storeFor = ({
  objects,
}: Pick<Services, 'objects'>): { store: ObjectStore; location: string } | undefined => {
  const [store] = objects.all;
  return store && { store, location: store.location };
};

/** Undefined if there is no such file any more. */
export async function readFile(
  services: Needs,
  id: string,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  const row = await findAttachment(services.db, id);
  if (row === undefined) return undefined;
  const sealed =
    row.location === null
      ? ((await readSealed(services.db, id)) ?? (await again(services, id, signal)))
      : await engineAt(services.objects, row.location).get(keyOf(row), signal);
  if (sealed === null) throw new Problem('engine_unavailable', { detail: 'The store has lost the file.' });
  return services.secrets.open(sealed, id);
}

/** The file was moved between two reads of its row. */
async function again(services: Needs, id: string, signal?: AbortSignal): Promise<Buffer | null> {
  const row = await findAttachment(services.db, id);
  if (row === undefined || row.location === null) return null;
  return engineAt(services.objects, row.location).get(keyOf(row), signal);
}

const AT_ONCE = 20;

export const attachmentMoves: Schedule = {
  name: 'support.attachment-moves',
  everySeconds: 60,
  async run(services) {
    const place = storeFor(services);
    if (place === undefined) return;
    try {
      for (const id of await unmoved(services.db, AT_ONCE)) {
        const row = await findAttachment(services.db, id);
        const sealed = await readSealed(services.db, id);
        if (row === undefined || sealed === null) continue;
        // The row names the store only once it has the bytes; a worker that dies in between puts them again.
        await place.store.put(keyOf(row), sealed);
        await noteMoved(services.db, id, place.location);
      }
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
    }
  },
};
