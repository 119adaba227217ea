import type { Call } from '../call.ts';
import { Problem } from '../problems/problem.ts';
import { readLimitRows } from './rows.ts';

export interface Want {
  readonly limit: string;
  readonly amount: number;
}

function refuseExcess(limitId: string, limit: number | null, used: number, requested: number): void {
  if (limit === null || used + requested <= limit) return;
  throw new Problem('quota_exceeded', {
    detail: `The limit ${limitId} is ${limit}, ${used} are used, and this would take ${requested} more.`,
    extra: { limit_id: limitId, limit, used, requested },
  });
}

/** Throws 409 when so many more would be too many. Whoever counts on it holds a lock that keeps others from adding. */
export async function requireRoom(
  call: Pick<Call, 'db' | 'caller' | 'services'>,
  wanted: string | readonly Want[],
): Promise<void> {
  const wants = typeof wanted === 'string' ? [{ limit: wanted, amount: 1 }] : wanted;
  const rows = await readLimitRows(call);
  for (const { limit, amount } of wants) {
    const row = rows.find(({ id }) => id === limit);
    if (row !== undefined && amount > 0) refuseExcess(limit, row.limit, row.used, amount);
  }
}

/** Of the limits that hold for each parent: `used` of them are there already. */
export async function requireRoomIn(
  call: Pick<Call, 'db' | 'caller' | 'services'>,
  limitId: string,
  used: number,
  requested = 1,
): Promise<void> {
  const row = (await readLimitRows(call)).find(({ id }) => id === limitId);
  if (row !== undefined) refuseExcess(limitId, row.limit, used, requested);
}
