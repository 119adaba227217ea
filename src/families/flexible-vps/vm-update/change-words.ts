/** What changes of a machine mean for its backups and its firewalls. */
import type { ChangeWords, ForeseenChange, Telling } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';
import type { Effect } from '../../../kernel/effect.ts';
import { matchesLabels } from '../../../kernel/pages/label-selector.ts';
import { keepsLess } from '../backup-policies/change-words.ts';
import { readPolicies } from '../backup-policies/store.ts';
import { readSelectors } from '../firewalls/change-words/store.ts';
import { protects } from '../firewalls/change-words/words.ts';

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

type Labels = Readonly<Record<string, string>>;

/** Firewalls whose label selectors match the machine now, or no longer. */
async function firewallWords(effect: Effect, { db, accountId, subject }: Telling): Promise<ForeseenChange[]> {
  const labels = changeOf<Labels>(effect, 'labels');
  if (labels === undefined) return [];
  return (await readSelectors(db, accountId)).flatMap(({ terms, ...firewall }): ForeseenChange[] => {
    const [had, has] = [labels.before, labels.after].map((each) => matchesLabels(terms ?? [], each));
    if (had === has) return [];
    return has
      ? [says(`its labels give ${subject} the firewall "${firewall.name}"`)]
      : [
          {
            text: `its labels take the firewall "${firewall.name}" from ${subject}`,
            loosens: protects(firewall),
          },
        ];
  });
}

export const vmWords: ChangeWords = {
  members: ['backup_policy_id'],
  say: async (effect, telling) => [
    ...(await policyWords(effect, telling)),
    ...(await firewallWords(effect, telling)),
  ],
};
