import type { Call } from '../../kernel/call.ts';
import type { NewEvent } from '../../kernel/events/event.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { type LimitRow, readLimitRows } from './limit-rows.ts';

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

const NEARLY = 0.8;

/** Emits the event only when the usage passes 80 %, not for each resource after that. */
function nearlyReached(row: LimitRow, amount: number): NewEvent[] {
  const { id, limit, location } = row;
  const used = row.used + amount;
  if (limit === null || row.used >= NEARLY * limit || used < NEARLY * limit) return [];
  return [
    {
      type: 'limit.nearly_reached',
      resource: { type: 'limit', id, name: id },
      message: `Of the ${limit} that the limit ${id} allows, ${used} are used.`,
      data: { limit_id: id, location, limit, used },
    },
  ];
}

/**
 * Throws 409 if the request exceeds a limit, and emits an event when a limit is nearly reached. Callers must
 * hold a lock that keeps concurrent calls from adding resources.
 */
export async function requireRoom(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'event'>,
  wanted: string | readonly Want[],
): Promise<void> {
  const wants = typeof wanted === 'string' ? [{ limit: wanted, amount: 1 }] : wanted;
  const rows = await readLimitRows(call);
  for (const { limit, amount } of wants) {
    const row = rows.find(({ id }) => id === limit);
    if (row === undefined || amount <= 0) continue;
    refuseExcess(limit, row.limit, row.used, amount);
    for (const news of nearlyReached(row, amount)) call.event(news);
  }
}

/** Checks a limit with scope `parent`. The caller passes how much of it the parent already uses. */
export async function requireRoomIn(
  call: Pick<Call, 'db' | 'caller' | 'services'>,
  limitId: string,
  used: number,
  requested = 1,
): Promise<void> {
  const row = (await readLimitRows(call)).find(({ id }) => id === limitId);
  if (row !== undefined) refuseExcess(limitId, row.limit, used, requested);
}
