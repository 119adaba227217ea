import type { Call } from '../../../kernel/call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { readLimitRows } from './limit-rows.ts';

/** Throws 409 when one more would be too many. Whoever counts on it holds a lock that keeps others from adding. */
export async function requireRoom(
  call: Pick<Call, 'db' | 'caller' | 'services'>,
  limitId: string,
): Promise<void> {
  const row = (await readLimitRows(call)).find(({ id }) => id === limitId);
  if (row === undefined || row.limit === null || row.used < row.limit) return;
  const { limit, used } = row;
  throw new Problem('quota_exceeded', {
    detail: `The limit ${limitId} is ${limit}, and ${used} are used.`,
    extra: { limit_id: limitId, limit, used, requested: 1 },
  });
}
