/** What can be done with a resource, and why something cannot be done just now. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { inSentence, type Noun, type NounCall, singularOf } from '../data/nouns.ts';
import type { Resource } from '../data/product.ts';
import { accessQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import type { Access, Account } from '../data/types.ts';
import type { Schema } from '../form/document.ts';
import { actsOf } from './act-labels.ts';
import { statesFor, statesOf } from './values.ts';

export interface Act {
  readonly label: string;
  readonly call: NounCall;
  /** Members of the body that this act decides, such as `type` of the power actions. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly isDanger: boolean;
  /** Why it cannot be done now. */
  readonly why: string | undefined;
}

const reasons: Readonly<Record<string, string>> = {
  product: 'This product is not enabled for the account. The provider can enable it.',
  account: 'The account is suspended. Its owner can see why.',
};

export function whyNot(access: ReadonlyMap<string, Access> | undefined, id: string, account: Account) {
  const found = access?.get(id);
  if (found === undefined || found.callable) return undefined;
  return (
    reasons[found.reason ?? ''] ??
    `Your role (${account.role}) may not do this. An owner or admin of the account can give you another role.`
  );
}

export function useAccess(): ReadonlyMap<string, Access> | undefined {
  const account = useAccount();
  const { data } = useQuery({ ...accessQuery(account, null), staleTime: 60_000 });
  return useMemo(() => data && new Map(data.data.map((each) => [each.operation_id, each])), [data]);
}

function whyNotInState(call: NounCall, noun: Noun, row: Resource, status: Schema | undefined) {
  const states = statesFor(statesOf(status), call.id);
  if (states === undefined || states.includes(String(row['status']))) return undefined;
  return `Possible only while the ${inSentence(singularOf(noun))} is ${states.join(' or ').replaceAll('_', ' ')}.`;
}

/** `status` is the schema of the status; undefined for resources without one. */
export function actsFor(
  noun: Noun,
  row: Resource,
  status: Schema | undefined,
  may: (id: string) => string | undefined,
): readonly Act[] {
  const act = (call: NounCall, label: string, fixed: Act['fixed']): Act => ({
    label,
    call,
    fixed,
    isDanger: call.access === 'destructive',
    why: may(call.id) ?? whyNotInState(call, noun, row, status),
  });
  return actsOf(noun).map(({ call, label, fixed }) => act(call, label, fixed));
}
