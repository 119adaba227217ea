import { Problem } from '../../kernel/problems/problem.ts';

/** An answer names at most this many users of a resource; `used_by_count` counts all of them. */
export const MOST_NAMED = 20;

interface User {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

interface Words {
  readonly detail: string;
  readonly nextStep?: string;
  /** Where `users` are only those that are named. */
  readonly count?: number;
}

/** Throws 409 while something uses the resource. */
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
