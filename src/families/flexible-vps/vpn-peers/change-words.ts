/** What changes of a peer mean for who reaches the networks behind its gateway. */
import type { ChangeWords, ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';

function expiryWords(before: string | null, after: string | null, subject: string): ForeseenChange[] {
  if (after === null) return [loosensBy(`${subject} may connect without an end instead of until ${before}`)];
  if (before === null) return [says(`${subject} may connect only until ${after}`)];
  return [{ text: `${subject} may connect until ${after} instead of ${before}`, loosens: after > before }];
}

function rangeWords(before: readonly string[], after: readonly string[], subject: string): ForeseenChange[] {
  const added = after.filter((range) => !before.includes(range));
  const gone = before.filter((range) => !after.includes(range));
  return [
    ...(added.length === 0 ? [] : [loosensBy(`lets ${added.join(', ')} in through ${subject}`)]),
    ...(gone.length === 0 ? [] : [says(`no longer lets ${gone.join(', ')} in through ${subject}`)]),
  ];
}

export const peerWords: ChangeWords = {
  members: ['enabled', 'expires_at', 'routed_cidrs'],
  say(effect, { subject }) {
    if (effect.action === 'create')
      return [loosensBy(`lets ${subject} into the networks of its VPN gateway`)];
    const enabled = changeOf<boolean>(effect, 'enabled');
    const expiry = changeOf<string | null>(effect, 'expires_at');
    const routed = changeOf<readonly string[]>(effect, 'routed_cidrs');
    return [
      ...(enabled === undefined
        ? []
        : [enabled.after ? loosensBy(`lets ${subject} connect again`) : says(`locks ${subject} out`)]),
      ...(expiry === undefined ? [] : expiryWords(expiry.before, expiry.after, subject)),
      ...(routed === undefined ? [] : rangeWords(routed.before, routed.after, subject)),
    ];
  },
};
