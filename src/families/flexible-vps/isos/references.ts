/** Finds and checks the ISO that a request body names. */
import { requireCapability } from '../../../engines/engine-call.ts';
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { findPublicIso } from './offered.ts';
import { findIsoRow, shareIsoRow } from './store.ts';
import type { IsoRow } from './table.ts';

const refuse = (pointer: string, code: FieldError['code'], detail: string): Problem =>
  invalid([{ pointer, code, detail }]);

type Asking = Pick<Call, 'db' | 'caller' | 'services'>;

/** Finds an ISO of the provider by its slug, or of the account by its id. */
export const findKnownIso = async (
  { db, caller, services }: Asking,
  id: string,
  read = findIsoRow,
): Promise<IsoRow | undefined> =>
  id.startsWith('iso_') ? read(db, caller.account.id, id) : findPublicIso(services, id);

/** The ISO is not deleted until the transaction ends. */
export async function requireIso(call: Asking, id: string, pointer: string): Promise<IsoRow> {
  const row = await findKnownIso(call, id, shareIsoRow);
  if (row === undefined) throw refuse(pointer, 'unknown_reference', `There is no ISO ${JSON.stringify(id)}.`);
  if (row.status !== 'available')
    throw new Problem('invalid_state', {
      detail: `The ISO ${row.name} is ${row.status}. It has to be available.`,
      extra: { current_state: row.status, allowed_states: ['available'] },
    });
  return row;
}

interface Place {
  readonly location: string;
  readonly architecture: IsoRow['architecture'];
}

/** Refuses an ISO that a machine at this place cannot boot or does not have. */
export function requireUsable(
  { services }: Pick<Call, 'services'>,
  iso: IsoRow,
  { location, architecture }: Place,
  pointer: string,
): void {
  requireCapability(services.compute, location, 'isoDrive');
  if (iso.architecture !== architecture)
    throw refuse(
      pointer,
      'incompatible',
      `The ISO is for ${iso.architecture}, the machine is ${architecture}.`,
    );
  if (!iso.locations.includes(location))
    throw refuse(
      pointer,
      'location_mismatch',
      `The ISO is not in ${location}. Import it again to have it there.`,
    );
}
