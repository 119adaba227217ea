/** Refuses imports that could only wait: another one of the account has no room on the disk. */
import type { Call } from '../../../kernel/call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { findImportWithoutRoom } from './store.ts';

const RETRY_SECONDS = 60;

type Importing = Pick<Call, 'db' | 'caller' | 'services' | 'event'>;

/**
 * How large a file is, only its server knows, so the first import that does not fit is accepted and waits. The next ones
 * are refused until it has begun.
 */
async function refuseToWait({ db, caller }: Importing): Promise<void> {
  const waiting = await findImportWithoutRoom(db, caller.account.id);
  if (waiting === undefined) return;
  throw new Problem('capacity_unavailable', {
    detail: `The disk has no room for more imports of your account: the operation ${waiting.id} is waiting for room.`,
    nextStep: `Wait until that operation has ended, or cancel it with POST /account/v1/operations/${waiting.id}/cancel, then repeat the call.`,
    extra: { alternatives: [] },
    retryAfterSeconds: RETRY_SECONDS,
  });
}

/** Throws 409 if the account imports as many files as it may, or if one of them is waiting for room on the disk. */
export async function requireRoomToImport(call: Importing): Promise<void> {
  await requireRoom(call, 'flexible-vps.url-imports');
  await refuseToWait(call);
}
