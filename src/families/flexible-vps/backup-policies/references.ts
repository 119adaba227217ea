/** Resolves the `backup_policy_id` of a request body, and of a configuration that is priced. */
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';
import { heldBy } from './future/held.ts';
import { readPolicies, sharePolicy } from './store.ts';

/** Throws 422 unless the account has the policy, and the location can store backups. */
export async function requireBackupPolicy(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  id: string,
  location: string,
): Promise<void> {
  const refuse = (code: FieldError['code'], detail: string) =>
    invalid([{ pointer: '/backup_policy_id', code, detail }]);
  if ((await sharePolicy(db, caller.account.id, id)) === undefined)
    throw refuse('unknown_reference', 'There is no such backup policy in this account.');
  if (services.objects.at(location) === undefined)
    throw refuse('incompatible', `The provider stores no backups of machines in ${location}.`);
}

/** For prices: how many backups of a machine the policies add within a month. */
export async function findPolicyReferences(db: Db, accountId: string, ids: readonly string[]) {
  const wanted = ids.filter((id) => id.startsWith('bpol_'));
  const rows = wanted.length === 0 ? [] : await readPolicies(db, accountId, wanted);
  const byId = new Map(
    rows.map((policy) => {
      const { most, runs } = heldBy(policy);
      return [policy.id, { keep: Math.min(most, runs) }];
    }),
  );
  return { backupPolicy: (id: string) => byId.get(id) ?? null };
}
