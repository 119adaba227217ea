/** Who is signed in, and for which account this tab works. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isPublicPage } from '../../../src/surfaces/portal/public-pages.ts';
import { keepChosen, readChosen } from './chosen-account.ts';
import { get, Problem } from './http.ts';
import { readSite } from './site.ts';
import type { Account, Me } from './types.ts';

export const siteQuery = queryOptions({
  queryKey: ['site'],
  queryFn: readSite,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Null: nobody is signed in. A page whose session ends keeps what it knows: a dialog asks the person to sign in again. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ client }): Promise<Me | null> => {
    try {
      return await get<Me>('/portal/v1/me');
    } catch (error) {
      const isKept = client.getQueryData(['me']) && !isPublicPage(location.pathname);
      if (error instanceof Problem && error.status === 401 && !isKept) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

let chosen = readChosen();
const listeners = new Set<() => void>();

export function chooseAccount(id: string): void {
  chosen = id;
  keepChosen(id);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function accountOf(me: Me | null | undefined): Account | undefined {
  return me?.accounts.find(({ id }) => id === chosen) ?? me?.accounts[0];
}

export const useMe = (): Me | null | undefined => useQuery(meQuery).data;

/** The account of the page. Pages inside the portal are shown only to people who have one. */
export function useAccount(): Account {
  const me = useMe();
  useSyncExternalStore(subscribe, () => chosen);
  const account = accountOf(me);
  if (account === undefined) throw new Error('This page needs an account.');
  return account;
}

export const useMaybeAccount = (): Account | undefined => {
  const me = useMe();
  useSyncExternalStore(subscribe, () => chosen);
  return accountOf(me);
};

export const acts = (account: Account): string => `/portal/v1/accounts/${account.id}`;
export const calls = (account: Account): string => `/portal/v1/call/${account.id}`;
export const maySee = (account: Account): boolean => account.role !== 'billing';
export const isAdmin = (account: Account): boolean => account.role === 'owner' || account.role === 'admin';
export const ADMINS_ONLY = 'Only owners and admins of the account may do this.';
