/** What the person may do in the account, and what to say about the rest. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { accessQuery } from './queries.ts';
import { useAccount } from './session.ts';
import type { Access, Account } from './types.ts';

export function useAccess(): ReadonlyMap<string, Access> | undefined {
  const account = useAccount();
  const { data } = useQuery({ ...accessQuery(account, null), staleTime: 60_000 });
  return useMemo(() => data && new Map(data.data.map((each) => [each.operation_id, each])), [data]);
}

function refusalOf({ reason }: Access, { role, status }: Account): string {
  switch (reason) {
    case 'product':
      return 'This product is not enabled for the account. The provider can enable it.';
    case 'account_status':
      return `The account is ${status}, and this is refused in that state. Ask your provider why.`;
    default:
      return `Your role (${role}) may not do this. An owner or admin of the account can give you another role.`;
  }
}

export type WhyNot = (operation: string) => string | undefined;

/** Says why the person may not call an operation, and who can change that; undefined if the person may. */
export function useWhyNot(): WhyNot {
  const account = useAccount();
  const access = useAccess();
  return useCallback(
    (operation: string) => {
      const found = access?.get(operation);
      return found === undefined || found.callable ? undefined : refusalOf(found, account);
    },
    [access, account],
  );
}
