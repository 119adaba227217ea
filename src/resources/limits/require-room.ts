import type { Call } from '../../kernel/call.ts';
import type { NewEvent } from '../../kernel/events/event.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { type LimitRow, readLimitRows, readLimitRowsLater } from './limit-rows.ts';
import { lockLimits } from './store.ts';

export interface Want {
  readonly limit: string;
  readonly amount: number;
  /** Where limits with scope `location` count it. Without a location, they count all locations. */
  readonly location?: string | null;
}

/** How much of a limit is used, and how much will be. */
interface Growth {
  readonly before: number;
  readonly after: number;
}

const NEARLY = 0.8;

/** Throws 409 if the growth exceeds the limit. Otherwise returns the event to emit when it passes 80 %. */
function judge(
  { id, limit, location }: Pick<LimitRow, 'id' | 'limit' | 'location'>,
  { before, after }: Growth,
  parentId: string | null,
): NewEvent[] {
  if (limit === null || after <= before) return [];
  if (after > limit) {
    const requested = after - before;
    throw new Problem('quota_exceeded', {
      detail: `The limit ${id} is ${limit}, ${before} are used, and this would take ${requested} more.`,
      extra: { limit_id: id, limit, used: before, requested },
    });
  }
  if (before >= NEARLY * limit || after < NEARLY * limit) return [];
  return [
    {
      type: 'limit.nearly_reached',
      resource: { type: 'limit', id, name: id },
      message: `Of the ${limit} that the limit ${id} allows, ${after} are used.`,
      data: { limit_id: id, location, parent_id: parentId, limit, used: after },
    },
  ];
}

type Writer = Pick<Call, 'db' | 'caller' | 'services' | 'event'>;

/** The limits that the provider's file has, each with the location where the want counts. */
function placed({ services }: Writer, wants: readonly Want[]) {
  return wants.flatMap((want) => {
    const limit = services.provider.catalogue.limits.find(({ id }) => id === want.limit);
    if (limit === undefined || want.amount <= 0) return [];
    return [{ want, limit, location: limit.scope === 'location' ? (want.location ?? null) : null }];
  });
}

function judgeAll({ event }: Writer, wants: ReturnType<typeof placed>, rows: readonly LimitRow[]): void {
  for (const [i, row] of rows.entries()) {
    const after = row.used + (wants[i]?.want.amount ?? 0);
    for (const news of judge(row, { before: row.used, after }, null)) event(news);
  }
}

const lock = ({ db, caller }: Writer, wants: ReturnType<typeof placed>): Promise<void> =>
  lockLimits(
    db,
    caller.account.id,
    wants.map(({ limit }) => limit.id),
  );

/**
 * Throws 409 if the request exceeds a limit, and emits an event when a limit is nearly reached. Other calls that use the
 * same limits of the account wait until the transaction ends.
 */
export async function requireRoom(call: Writer, wanted: string | readonly Want[]): Promise<void> {
  const wants = placed(call, typeof wanted === 'string' ? [{ limit: wanted, amount: 1 }] : wanted);
  await lock(call, wants);
  judgeAll(call, wants, await readLimitRows(call, wants));
}

/**
 * Like `requireRoom`, for the last check of a handler, which has inserted its rows already: the count includes them. The
 * statement is sent with that of the budgets.
 */
export async function requireRoomAtLast(
  call: Writer & Pick<Call, 'checkLater'>,
  wanted: readonly Want[],
): Promise<void> {
  const wants = placed(call, wanted);
  await lock(call, wants);
  const { rows } = await readLimitRowsLater(call, wants);
  call.checkLater(
    rows.then((counted) => {
      judgeAll(
        call,
        wants,
        counted.map((row, i) => ({ ...row, used: Math.max(0, row.used - (wants[i]?.want.amount ?? 0)) })),
      );
    }),
  );
}

/** Checks a limit with scope `parent`. The caller has locked the parent, and passes how much of the limit it uses. */
export async function requireRoomIn(
  call: Writer,
  limitId: string,
  parentId: string,
  { before, after = before + 1 }: { readonly before: number; readonly after?: number },
): Promise<void> {
  const row = await readParentLimit(call, limitId);
  if (row === null) return;
  for (const news of judge(row, { before, after }, parentId)) call.event(news);
}

/** The value of a limit with scope `parent`, which applies to each parent. `null` if the provider's file has none. */
export async function readParentLimit(
  call: Pick<Writer, 'db' | 'caller' | 'services'>,
  limitId: string,
): Promise<LimitRow | null> {
  const limit = call.services.provider.catalogue.limits.find(({ id }) => id === limitId);
  if (limit === undefined) return null;
  const [row] = await readLimitRows(call, [{ limit, location: null }]);
  return row ?? null;
}
