/** An empty image for checks that need an instance, so that no other image has to exist. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tarEnd, tarHeader, tarPadding } from '../../../../kernel/tar.ts';
import { askOrNull, insist } from '../driver-context.ts';
import { isBusy } from '../failure.ts';
import type { Place } from './context.ts';

const packed = (name: string, content: string): Buffer[] => {
  const bytes = Buffer.from(content);
  return [tarHeader(name, bytes.length), bytes, tarPadding(bytes.length)];
};

/** An image without content. The name is part of its metadata, so that no two images have the same fingerprint. */
const emptyImage = (name: string, architecture: string): Buffer =>
  Buffer.concat([
    ...packed(
      'metadata.yaml',
      `architecture: ${architecture}\ncreation_date: 1\nproperties: { description: ${name} }\n`,
    ),
    ...packed('rootfs/empty', ''),
    tarEnd,
  ]);

/**
 * Removes an object; a missing one is no error. An instance that failed to start may still be busy for a moment, so
 * this retries.
 */
export async function discard({ client }: Place, path: string): Promise<void> {
  await insist(() => askOrNull(() => client.run('DELETE', path)), undefined, isBusy);
}

export async function withEmptyImage<T>(
  place: Place,
  folder: string,
  work: (fingerprint: string, name: string) => Promise<T>,
): Promise<T> {
  const name = `hostplane-doctor-${randomBytes(4).toString('hex')}`;
  const file = join(folder, 'image');
  await writeFile(file, emptyImage(name, place.server.environment.architectures[0] ?? ''));
  const headers = { 'content-type': 'application/octet-stream' };
  const done = await place.client.run('POST', '/1.0/images', { file, headers });
  const fingerprint = String(done?.metadata?.fingerprint);
  try {
    return await work(fingerprint, name);
  } finally {
    await discard(place, `/1.0/images/${fingerprint}`);
  }
}
