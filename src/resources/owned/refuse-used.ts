import { Problem } from '../../kernel/problems/problem.ts';

/** `used_by` lists at most this many resources; `used_by_count` is the total. */
export const MOST_NAMED = 20;

interface User {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

interface Words {
  readonly detail: string;
  readonly nextStep?: string;
  /** The total, if `users` has only the first `MOST_NAMED`. Default: the length of `users`. */
  readonly count?: number;
}

/** Throws 409 if other resources use this resource. */
export function refuseUsed(users: readonly User[], { count = users.length, ...words }: Words): void {
  if (count === 0) return;
  throw new Problem('resource_in_use', {
    ...words,
    extra: {
      used_by: users.slice(0, MOST_NAMED).map(({ type, id, name }) => ({ type, id, name })),
      used_by_count: count,
    },
  });
}
