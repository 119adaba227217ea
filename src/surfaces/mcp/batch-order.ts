/**
 * A call of a batch may be refused as things are, because of something that a call before it is about to change: a
 * volume cannot be deleted while it is attached, and the call before detaches it. Such a call is rehearsed again when the
 * other was made. Until then, it is expected to do what it says about its own resource, and nothing else.
 */
import { canonicalJson } from '../../kernel/audit/canonical-json.ts';
import { requestOf } from './calls.ts';
import type { ApiCaller } from './inner-call.ts';
import { ID } from './made-ids.ts';
import { destroys, foreseenBy, type Rehearsal, subjectOf } from './rehearsals.ts';
import type { Json } from './results.ts';

const idsIn = (value: unknown): string[] => canonicalJson(value).match(ID) ?? [];

const namedBy = ({ endpoint, call }: Rehearsal): string[] => {
  const { path, query, body } = requestOf(endpoint, call);
  return idsIn([path, query, body]);
};

/** The number of the last call before it that changes something the refusal is about; undefined if none does. */
export function awaited(refused: Rehearsal, before: ReadonlyMap<number, Rehearsal>): number | undefined {
  const { request_id: _, instance: __, ...problem } = refused.trial.body as Json;
  if (refused.trial.status !== 409) return undefined;
  const about = new Set([...namedBy(refused), ...idsIn(problem)]);
  const touches = (earlier: Rehearsal): boolean =>
    [...namedBy(earlier), ...idsIn(foreseenBy(earlier.trial).effects)].some((id) => about.has(id));
  return [...before].findLast(([, earlier]) => touches(earlier))?.[0];
}

export interface Expected {
  /** The call that it waits for. */
  readonly after: number;
  /** The problem with which it is refused as things are. */
  readonly problem: Json;
  /** As if it were not refused: it takes away its own resource, if it is a call that destroys. */
  readonly rehearsal: Rehearsal;
}

/** As if it were not refused, with these effects. */
function expecting(refused: Rehearsal, after: number, when: string, effects: readonly Json[]): Expected {
  const { trial } = refused;
  const problem = trial.body as Json;
  const body = { dry_run: true, cost: null, effects, changes: [], warnings: [] };
  return {
    after,
    problem,
    rehearsal: {
      ...refused,
      trial: { ...trial, status: 200, isRefused: false, body },
      note: `${problem['code']} ${when}. Checked again after call ${after}; asks again if it takes away or opens more than this.`,
    },
  };
}

/** What a call that is refused now will do, as far as it can be known. */
export async function expectedAfter(api: ApiCaller, refused: Rehearsal, after: number): Promise<Expected> {
  const { endpoint, call } = refused;
  if (endpoint.access !== 'destructive') return expecting(refused, after, 'as things are', []);
  const { id = null, name = null, isOwn } = await subjectOf(api, endpoint, call);
  const action = isOwn && endpoint.resource.role === 'delete' ? 'delete' : 'update';
  const effect = { action, type: endpoint.resource.name, id, name, loss: null };
  return expecting(refused, after, 'as things are', [effect]);
}

/** Of a call about something that a call before it has only begun to make. */
export const expectedOnceMade = (refused: Rehearsal, after: number): Expected =>
  expecting(refused, after, `until call ${after} has ended`, []);

/** Whether all that a call takes away is what was expected of it: its own resource. */
export function isAsExpected({ rehearsal }: Expected, now: Rehearsal): boolean {
  const [own] = foreseenBy(rehearsal.trial).effects;
  const { effects, changes } = foreseenBy(now.trial);
  const isOwn = (each: Json): boolean => each['id'] === own?.id && each['action'] === own?.['action'];
  return (!destroys(now) || effects.every(isOwn)) && changes.every(({ loosens }) => !loosens);
}
