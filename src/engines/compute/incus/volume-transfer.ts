/** Copies a volume, or a snapshot of one, from one member of a cluster to another: the one sends, the other receives. */
import type { Ref } from '../instance.ts';
import type { EngineOperation } from './client.ts';
import type { Server, Site } from './driver-context.ts';
import { projectOf } from './names.ts';
import { askAt, memberOf, type Place, pathAt, volumesPath } from './raw-volume.ts';

interface Transfer {
  /** The request for the new volume, without its source. */
  readonly body: object;
  /** The member that gets the copy. */
  readonly member: string;
  /** The path of the snapshot that is copied; otherwise the volume is copied, with its snapshots. */
  readonly snapshot?: string;
}

/**
 * The source waits 30 seconds for the other member to connect. Incus 6.0 has a request that does all of this, but it
 * refuses volumes in the projects of accounts.
 */
export async function transferVolume(
  { client, settings }: Site,
  ref: Ref,
  from: Place,
  { body, member, snapshot }: Transfer,
  signal?: AbortSignal,
): Promise<void> {
  const source = memberOf(from) ?? '';
  const [{ url }, { environment }] = await Promise.all([
    client.ask<{ readonly url: string }>('GET', `/1.0/cluster/members/${source}`, { signal }),
    client.ask<Server>('GET', '/1.0', { target: source, signal }),
  ]);
  const sending = await client.ask<EngineOperation>('POST', snapshot ?? pathAt({ settings }, from), {
    ...askAt(ref, from, signal),
    body: { name: from.name, migration: true },
  });
  await client.run('POST', volumesPath({ settings }), {
    project: projectOf(ref),
    target: member,
    body: {
      ...body,
      source: {
        type: 'migration',
        mode: 'pull',
        operation: `${url}/1.0/operations/${sending.id}`,
        secrets: sending.metadata,
        certificate: environment.certificate,
      },
    },
    signal,
  });
}
