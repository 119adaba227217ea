/** Calls that change one member of a resource in place, although its update does not take it. */
import type { Entry, Resolver } from '../openapi/resolved.ts';
import { bodyOf, type Call, callOf } from './calls.ts';
import { membersOf, type Plain } from './schemas.ts';

export interface ActionChange {
  readonly call: Call;
  /** What the request has beside the member: `{ type: 'resize' }`. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** The value of another member with which this one is sent, if it is sent only with that. */
export function companionOf({ 'x-when': when }: Plain): Readonly<Record<string, unknown>> {
  return when?.is?.length === 1 ? { [when.member]: when.is[0] } : {};
}

/** How the call changes the member of this name. A call that destroys what the resource holds changes nothing in place. */
export function actionOn(entry: Entry, name: string, resolver: Resolver): ActionChange | undefined {
  const body = bodyOf(entry, resolver);
  const member = membersOf(body)[name];
  if (member === undefined || entry.operation['x-access'] === 'destructive') return undefined;
  const fixed = companionOf(member);
  const others = (body.required ?? []).filter((each) => each !== name && !Object.hasOwn(fixed, each));
  return others.length > 0 ? undefined : { call: callOf(entry, resolver), fixed };
}
