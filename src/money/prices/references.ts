/** Loads the resources that configurations refer to. Each family provides the facts about its own resources. */
import type { Call } from '../../kernel/call.ts';
import type { Db } from '../../store/database.ts';
import type { References } from './bill.ts';

declare module '../../kernel/registry.ts' {
  interface Family {
    /** Finds the facts that prices depend on, for the ids that belong to this family and account. */
    findReferences?(db: Db, accountId: string, ids: readonly string[]): Promise<Partial<References>>;
  }
}

const ID = /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** All resource ids anywhere inside the value. */
function idsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string' && ID.test(value)) found.add(value);
  else if (value !== null && typeof value === 'object')
    for (const member of Object.values(value)) idsIn(member, found);
  return found;
}

const nothing: References = { backupPolicy: () => null, cluster: () => null, image: () => null };

export async function readReferences(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  configurations: unknown,
): Promise<References> {
  const ids = [...idsIn(configurations)];
  if (ids.length === 0) return nothing;
  let references = nothing;
  for (const { findReferences } of services.registry.families)
    references = { ...references, ...(await findReferences?.(db, caller.account.id, ids)) };
  return references;
}
