/** What changes of a machine mean for its backups and its firewalls. */
import type { ChangeWords, ForeseenChange, Telling } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';
import type { Effect } from '../../../kernel/effect.ts';
import { keepsLess } from '../backup-policies/change-words.ts';
import { readPolicies } from '../backup-policies/store.ts';
import { labelWords } from '../firewalls/change-words/label-words.ts';

async function policyWords(effect: Effect, { db, accountId, subject }: Telling): Promise<ForeseenChange[]> {
  const change = changeOf<string | null>(effect, 'backup_policy_id');
  if (change === undefined) return [];
  const { before, after } = change;
  if (after === null) return [loosensBy(`${subject} is no longer backed up by the backup policy ${before}`)];
  if (before === null) return [says(`${subject} is backed up by the backup policy ${after}`)];
  const policies = await readPolicies(db, accountId, [before, after]);
  const [old, now] = [before, after].map((id) => policies.find((policy) => policy.id === id));
  const text = `${subject} is backed up by the backup policy ${after} instead of ${before}`;
  return [{ text, loosens: old === undefined || now === undefined || keepsLess(old, now) }];
}

async function firewallWords(effect: Effect, telling: Telling): Promise<ForeseenChange[]> {
  const labels = changeOf<Readonly<Record<string, string>>>(effect, 'labels');
  if (labels === undefined || effect.id === null || effect.action === 'create') return [];
  return labelWords(effect.id, labels, telling);
}

export const vmWords: ChangeWords = {
  members: ['backup_policy_id'],
  say: async (effect, telling) => [
    ...(await policyWords(effect, telling)),
    ...(await firewallWords(effect, telling)),
  ],
};
