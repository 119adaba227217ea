/** What changes of a machine mean for its backups, its firewalls, and for those who reach it. */
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

/** The guest runs user data as root, so whoever writes it may let anybody in. */
function userDataWords(effect: Effect, { subject }: Telling): ForeseenChange[] {
  const change = changeOf<string | null>(effect, 'user_data_sha256');
  if (change === undefined) return [];
  if (change.after === null) return [says(`removes the user data of ${subject}`)];
  return [loosensBy(`gives ${subject} other user data, which it runs as root when it is set up again`)];
}

const versionOf = (address: string): 'IPv4' | 'IPv6' => (address.includes(':') ? 'IPv6' : 'IPv4');

/** The first public address of an IP version connects a machine to the internet. Others add no way to it. */
function addressWords(effect: Effect, { subject }: Telling): ForeseenChange[] {
  const change = changeOf<readonly string[]>(effect, 'public_ips');
  if (change === undefined) return [];
  const missingIn = (list: readonly string[], other: readonly string[]) =>
    list.filter((address) => !other.includes(address));
  const had = new Set(change.before.map(versionOf));
  return [
    ...missingIn(change.after, change.before).map((address) =>
      had.has(versionOf(address))
        ? says(`attaches the public address ${address} to ${subject}`)
        : loosensBy(`connects ${subject} to the internet by the public address ${address}`),
    ),
    ...missingIn(change.before, change.after).map((address) =>
      says(`takes the public address ${address} from ${subject}`),
    ),
  ];
}

export const vmWords: ChangeWords = {
  members: ['backup_policy_id', 'user_data_sha256', 'public_ips'],
  say: async (effect, telling) => [
    ...(await policyWords(effect, telling)),
    ...(await firewallWords(effect, telling)),
    ...addressWords(effect, telling),
    ...userDataWords(effect, telling),
  ],
};
