/** What a failed operation was asked for: the call that started it, and what it works on. */
import { useQuery } from '@tanstack/react-query';
import { useAccess, useWhyNot } from '../data/access.ts';
import { startedByQuery } from '../data/account-queries.ts';
import type { AuditEntry, OperationKind } from '../data/account-types.ts';
import {
  addressOf,
  filled,
  listAddress,
  makerOf,
  type Noun,
  type NounCall,
  type NounFamily,
  nounNamed,
  nounsQuery,
  ownParameter,
  type PathValues,
} from '../data/nouns.ts';
import { oneQuery, type Resource } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import type { Operation } from '../data/types.ts';
import { type Act, actsFor } from './acts.ts';
import { type Named, useNamed } from './references.ts';
import { answerOf } from './schema.ts';
import { statesFor, statesOf } from './values.ts';

type Asked = Pick<Operation, 'id' | 'type' | 'resource'>;

const callsOf = ({ create, declare, update, delete: gone, actions }: Noun): readonly NounCall[] =>
  [create, declare, update, gone, ...actions].filter((call) => call !== undefined);

const verbOf = ({ type }: Asked): string => type.split('.').at(-1) ?? '';

/** The parts of a bulk action, and some kinds that share a call, are known only by what they do: `vm.power_on`. */
const isChoice = ({ choice }: NounCall, asked: Asked): boolean =>
  choice?.values.includes(verbOf(asked)) ?? false;

export interface Started {
  readonly noun: Noun;
  readonly call: NounCall;
}

/** `audited` is the call in the audit log, which is certain; without it, what the kind and the type of resource say. */
export function startedBy(
  families: readonly NounFamily[],
  asked: Asked,
  { audited, kind }: { readonly audited?: string | undefined; readonly kind?: OperationKind | undefined },
): Started | undefined {
  const all = families.flatMap(({ nouns }) =>
    nouns.flatMap((noun) => callsOf(noun).map((call) => ({ noun, call }))),
  );
  const ids = audited === undefined ? (kind?.calls ?? []) : [audited];
  const own = all.filter(({ noun }) => noun.name === asked.resource.type);
  return (
    (ids.length === 1 ? all.find(({ call }) => ids.includes(call.id)) : undefined) ??
    own.find(({ call }) => ids.includes(call.id)) ??
    own.find(({ call }) => isChoice(call, asked))
  );
}

/** Where another one is made; undefined if nobody knows any more what it was a part of. */
export function newAddress(
  families: readonly NounFamily[],
  noun: Noun,
  { id, resource }: Asked,
  named: Named | null,
): string | undefined {
  const search = `?again=${id}`;
  if (noun.parent === undefined) return `${listAddress(noun)}/new${search}`;
  const parent = nounNamed(families, noun.parent.noun);
  const above = resource.type === noun.parent.noun ? resource.id : named?.parent_id;
  return parent && above ? `${addressOf(parent, families, above)}/${noun.slug}/new${search}` : undefined;
}

/** What the call set, as far as the audit log says so: secrets are left out there. */
export const wantedBy = (entry: Pick<AuditEntry, 'changes'> | undefined): Resource =>
  Object.fromEntries(
    (entry?.changes ?? [])
      .filter(({ pointer, after }) => /^\/[^/]+$/.test(pointer) && after !== null)
      .map(({ pointer, after }) => [pointer.slice(1), after]),
  );

export interface Again {
  readonly noun: Noun;
  readonly row: Resource | undefined;
  readonly above: PathValues;
  /** The address of the form that creates another one. */
  readonly create: string | undefined;
  /** The act that failed. */
  readonly act: Act | undefined;
  /** What it wanted. */
  readonly wanted: Resource;
  /** Acts that the state after the failure is made for, such as to redeploy a machine that could not be created. */
  readonly others: readonly Act[];
}

/** The resource as it is now, with what can be done with it. */
function useResource(noun: Noun | undefined, named: Named | null | undefined) {
  const account = useAccount();
  const whyNot = useWhyNot();
  const above: PathValues =
    noun?.parent && named?.parent_id ? { [noun.parent.parameter]: named.parent_id } : {};
  const path = { ...above, [ownParameter(noun?.read?.path ?? '') ?? 'id']: named?.id ?? '' };
  const enabled = noun?.read !== undefined && named !== null && named !== undefined;
  const { data: row, isLoading } = useQuery({
    ...oneQuery(account, noun?.name ?? '', filled(noun?.read?.path ?? '', path)),
    enabled,
  });
  const document = useQuery({ ...operationQuery(noun?.read?.id ?? ''), enabled });
  const shape = document.data && answerOf(document.data, noun?.read?.id ?? '');
  const status = shape?.members.find(([name]) => name === 'status')?.[1];
  const acts = noun && row ? actsFor(noun, row, status, whyNot) : [];
  return { row, above, status, acts, isLoading: isLoading || document.isLoading };
}

export function useAgain(operation: Operation, kind: OperationKind | undefined): Again | undefined {
  const account = useAccount();
  const access = useAccess();
  const families = useQuery(nounsQuery).data;
  const mayReadLog = access?.get('listAuditEntries')?.callable ?? false;
  const log = useQuery({ ...startedByQuery(account, operation), enabled: mayReadLog });
  const named = useNamed(operation.resource.id);
  const entry = log.data?.data.find(({ operation_id: id }) => id === operation.id);
  const started =
    families && access && !log.isLoading
      ? startedBy(families, operation, { audited: entry?.action, kind })
      : undefined;
  // An act of a part may be about what it is a part of: the address that is taken from a machine, for example.
  const noun = started && nounNamed(families ?? [], operation.resource.type);
  const { row, above, status, acts, isLoading } = useResource(noun, named);
  if (!started || !noun || !families || named === undefined || isLoading) return undefined;
  const { call } = started;
  const isCreate = call.id === makerOf(started.noun)?.id;
  const isFor = ({ call: { id }, fixed }: Act): boolean =>
    id === call.id && (call.choice === undefined || Object.values(fixed).includes(verbOf(operation)));
  const helps = (act: Act): boolean =>
    noun.actions.includes(act.call) &&
    (statesFor(statesOf(status), act.call.id)?.includes(String(row?.['status'])) ?? false);
  return {
    noun,
    row,
    above,
    create: isCreate ? newAddress(families, started.noun, operation, named) : undefined,
    act: isCreate ? undefined : acts.find(isFor),
    wanted: wantedBy(entry),
    others: isCreate && started.noun === noun ? acts.filter(helps) : [],
  };
}
