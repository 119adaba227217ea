/** Copies an image of the account to the location of the machine before the disk is created. */
import { done, failed, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { ensureImageAt } from '../images/image-copies.ts';
import { findImageRow, noteImageAt } from '../images/store.ts';
import type { VmImage, VmRow } from '../vms/table.ts';

/** Does nothing for images of the provider: they exist in all locations. */
export async function fetchImage(
  { services, db, signal }: Pick<Work<unknown>, 'services' | 'db' | 'signal'>,
  { account_id, location }: VmRow,
  { id, slug }: Pick<VmImage, 'id' | 'slug'>,
): Promise<Outcome> {
  if (slug !== null) return done();
  const image = await findImageRow(db, account_id, id);
  if (image === undefined) return failed('not_found', 'The image no longer exists.');
  await ensureImageAt(services, image, location, signal);
  return done({}, async (tx) => {
    await noteImageAt(tx, image.id, location);
    return [];
  });
}
