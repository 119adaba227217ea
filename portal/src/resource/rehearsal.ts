import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../data/http.ts';
import { type PersonCall, rehearse } from '../data/product.ts';
import { useAccount } from '../data/session.ts';
import type { Foreseen } from '../data/types.ts';

/** In milliseconds: whoever types on asks for something else. */
const PAUSE = 350;

const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

export interface Rehearsal {
  readonly foreseen: Foreseen | undefined;
  /** What was foreseen last. The call may have become another one, or impossible, since. */
  readonly last: Foreseen | undefined;
  /** Why the call would be refused as it is now. */
  readonly problem: Problem | undefined;
  /** Of the call as it is now, the answer has come. */
  readonly isCurrent: boolean;
}

/** The dry run of a call while people fill in its form. */
export function useRehearsal(made: PersonCall | null): Rehearsal {
  const account = useAccount();
  const query = useQuery({
    queryKey: [account.id, 'rehearsal', made],
    queryFn: async ({ signal }) => {
      await wait(PAUSE, signal);
      if (made === null) throw new Error('There is nothing to rehearse.');
      // A refusal is an answer, too: it must not hide what is foreseen for other values.
      return rehearse(account, made).catch((error: unknown) => {
        if (error instanceof Problem) return error;
        throw error;
      });
    },
    enabled: made !== null,
    placeholderData: keepPreviousData,
    staleTime: 5000,
    gcTime: 0,
    retry: false,
  });
  const { data } = query;
  const foreseen = data instanceof Problem ? undefined : data;
  const [last, setLast] = useState(foreseen);
  if (foreseen !== undefined && foreseen !== last) setLast(foreseen);
  return {
    foreseen,
    last,
    problem: data instanceof Problem ? data : query.error instanceof Problem ? query.error : undefined,
    isCurrent: query.isSuccess && !query.isPlaceholderData && !query.isFetching,
  };
}
