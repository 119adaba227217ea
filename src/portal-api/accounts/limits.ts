import type { FieldError } from '../../kernel/problems/problem.ts';
import { Nullable, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { LimitEntry } from '../../provider/catalogue.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check } from '../input.ts';
import type { Limits } from '../limits.ts';
import { change } from '../portal-write.ts';
import { deleteLimit, findLimit, writeLimit } from './store.ts';

const SetLimit = Shape({
  account_id: Type.String(),
  limit_id: Type.String({ maxLength: 80 }),
  /** `null` removes the limit. Without a value the limit of the provider's file applies again. */
  value: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }))),
});
export type SetLimit = Static<typeof SetLimit>;

function fault(input: Partial<SetLimit>, entries: readonly LimitEntry[]): FieldError[] {
  const { limit_id, value } = input;
  if (limit_id === undefined) return [];
  const entry = entries.find(({ id }) => id === limit_id);
  if (entry === undefined) {
    const detail = "The provider's file has no limit of this name (see catalogue.limits).";
    return [{ pointer: '/limit_id', code: 'unknown_reference', detail }];
  }
  if (value === undefined || entry.limit === null) return [];
  const ceiling = entry.raisable ? entry.maximum_on_request : entry.limit;
  if (ceiling === null || (value !== null && value <= ceiling)) return [];
  const detail = `At most ${ceiling}; to go beyond, change ${entry.raisable ? 'maximum_on_request' : 'the limit'} in the provider's file.`;
  return [{ pointer: '/value', code: 'out_of_range', detail }];
}

export async function setLimit(
  db: Db,
  actor: Actor,
  input: SetLimit,
  catalogue: Limits,
): Promise<{ limit_id: string; value: number | null; overridden: boolean }> {
  return change(db, actor, 'setLimit', input.account_id, async (tx, account) => {
    check(SetLimit, input, (sound) => fault(sound, catalogue.limits));
    await authorise(tx, actor, account.id, 'staff');
    const { limit_id, value } = input;
    const general = catalogue.limits.find(({ id }) => id === limit_id)?.limit ?? null;
    const before = await findLimit(tx, account.id, limit_id);
    if (value === undefined) await deleteLimit(tx, account.id, limit_id);
    else await writeLimit(tx, account.id, limit_id, value);
    const was = before === undefined ? general : before.value;
    const is = value === undefined ? general : value;
    const resource = { type: 'limit', id: limit_id, name: limit_id };
    const event = {
      type: 'limit.raised',
      resource,
      message: `The limit ${limit_id} is now ${is ?? 'lifted'}; it was ${was ?? 'none'}.`,
      data: { limit_id, before: was, after: is },
    };
    return {
      result: { limit_id, value: is, overridden: value !== undefined },
      resource,
      changes: was === is ? [] : [{ pointer: '/limit', before: was, after: is }],
      events: was !== null && (is === null || is > was) ? [event] : [],
    };
  });
}
