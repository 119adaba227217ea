/** Work that this tab began. It goes on after the answer, and the person may be elsewhere when it fails. */
import { useSyncExternalStore } from 'react';
import type { Account } from './types.ts';

export interface Followed {
  readonly account: Account;
  readonly id: string;
}

let followed: readonly Followed[] = [];
const listeners = new Set<() => void>();
const change = (next: readonly Followed[]): void => {
  followed = next;
  for (const listener of listeners) listener();
};

interface Work {
  readonly id?: unknown;
  readonly finished_at?: unknown;
  readonly operation?: unknown;
}

const isOperation = (id: unknown): id is string => typeof id === 'string' && id.startsWith('op_');

/** `answer`: the operation itself, or the resource that it works on. */
export function follow(account: Account, answer: Work | undefined): void {
  const work = isOperation(answer?.id) ? answer : (answer?.operation as Work | null | undefined);
  const id = work?.id;
  if (!isOperation(id) || work?.finished_at || followed.some((each) => each.id === id)) return;
  change([...followed, { account, id }]);
}

export const unfollow = (id: string): void => change(followed.filter((each) => each.id !== id));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useFollowed = (): readonly Followed[] => useSyncExternalStore(subscribe, () => followed);
