/** What requests name, and what severity needs. */
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { Severity } from './schema.ts';
import { readLinked, readMemberIds } from './store.ts';
import type { LinkedResource } from './table.ts';
import { type SupportPlan, treatedAs } from './times.ts';

interface Named {
  readonly resourceIds: readonly string[];
  readonly memberIds: readonly string[];
  readonly severity: Severity;
  /** What the ticket names already: it may be gone by now, and stays named. */
  readonly before?: {
    readonly resources: readonly LinkedResource[];
    readonly cc_member_ids: readonly string[];
  };
}

const unknown = (pointer: string, what: string): FieldError => ({
  pointer,
  code: 'unknown_reference',
  detail: `There is no such ${what} in this account.`,
});

/** A critical ticket names what is affected. */
export const missingResources = (severity: unknown, resourceIds: unknown): FieldError[] =>
  severity === 'critical' && !(Array.isArray(resourceIds) && resourceIds.length > 0)
    ? [
        {
          pointer: '/resource_ids',
          code: 'required',
          detail: 'A critical ticket needs at least one resource that it is about.',
        },
      ]
    : [];

/** Throws 422 unless the account has all resources and members. `more`: errors that were found before. */
export async function resolve(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  { resourceIds, memberIds, severity, before = { resources: [], cc_member_ids: [] } }: Named,
  more: readonly FieldError[] = [],
): Promise<LinkedResource[]> {
  const accountId = caller.account.id;
  const isNew = (id: string): boolean => !before.resources.some((each) => each.id === id);
  const found = await readLinked(db, accountId, resourceIds.filter(isNew));
  const linked = resourceIds.flatMap(
    (id) => [...before.resources, ...found].find((each) => each.id === id) ?? [],
  );
  const members = [...before.cc_member_ids, ...(await readMemberIds(db, accountId, memberIds))];
  const errors = [
    ...more,
    ...missingResources(severity, resourceIds),
    ...resourceIds.flatMap((id, i) =>
      linked.some((each) => each.id === id) ? [] : [unknown(`/resource_ids/${i}`, 'resource')],
    ),
    ...memberIds.flatMap((id, i) => (members.includes(id) ? [] : [unknown(`/cc_member_ids/${i}`, 'member')])),
  ];
  if (errors.length > 0) throw invalid(errors);
  return linked;
}

export function warnOfPlan({ warn }: Pick<Call, 'warn'>, plan: SupportPlan, severity: Severity): void {
  const treated = treatedAs(plan, severity);
  if (treated === severity) return;
  warn({
    code: 'severity_capped',
    detail: `The support plan ${plan} of the account answers this like a ticket of the severity ${treated}.`,
    pointer: '/severity',
  });
}
