import { APPROVAL_REQUEST } from '../../../kernel/approvals/kind.ts';
import { isWrite } from '../../../kernel/record.ts';
import type { Registry, Subject } from '../../../kernel/registry.ts';

/**
 * The resource types that the requested operations can be about: those of the operation kinds, and for approval
 * requests those of every endpoint that writes.
 */
export function subjectsAsked(
  registry: Registry,
  wanted: { readonly family?: string; readonly type?: string },
): [string, Subject][] {
  const { kinds, endpoints, subjects } = registry;
  const kind = wanted.type === undefined ? undefined : kinds.get(wanted.type);
  const types =
    kind === undefined || kind.type === APPROVAL_REQUEST
      ? [
          ...[...kinds.values()].map(({ resourceType }) => resourceType),
          ...endpoints.filter(isWrite).map(({ resource }) => resource.name),
        ]
      : [kind.resourceType];
  return [...new Set(types)].flatMap((type): [string, Subject][] => {
    const subject = subjects.get(type);
    if (subject === undefined) return [];
    // Approval requests belong to the family `account`, whatever resource they are about.
    const isAsked =
      wanted.family === undefined || wanted.family === 'account' || wanted.family === subject.family;
    return isAsked ? [[type, subject]] : [];
  });
}
