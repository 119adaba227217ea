/** What changes of a peer mean for who reaches the networks behind its gateway. */
import type { ChangeWords, ForeseenChange, Telling } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';
import { type Remotes, remotesOf, remoteWords, without } from '../firewalls/change-words/remotes.ts';
import { readReach } from './store.ts';

function expiryWords(before: string | null, after: string | null, subject: string): ForeseenChange[] {
  if (after === null) return [loosensBy(`${subject} may connect without an end instead of until ${before}`)];
  if (before === null) return [says(`${subject} may connect only until ${after}`)];
  return [{ text: `${subject} may connect until ${after} instead of ${before}`, loosens: after > before }];
}

/** Addresses, not ranges, are compared: two halves of a range let in what the range lets in. */
const addressesIn = (ranges: readonly string[]): Remotes =>
  ranges.length === 0 ? [] : remotesOf({ remote_cidrs: [...ranges], remote_firewall_ids: [] }, []);

function rangeWords(before: readonly string[], after: readonly string[], subject: string): ForeseenChange[] {
  const [was, is] = [addressesIn(before), addressesIn(after)];
  const [added, gone] = [without(is, was), without(was, is)];
  return [
    ...(added.length === 0 ? [] : [loosensBy(`lets ${remoteWords(added, [])} in through ${subject}`)]),
    ...(gone.length === 0 ? [] : [says(`no longer lets ${remoteWords(gone, [])} in through ${subject}`)]),
    ...(added.length + gone.length > 0 ? [] : [says(`lets the same addresses in through ${subject}`)]),
  ];
}

/** Whoever has the private key is let in, so another key lets somebody else in. */
function keyWords(subject: string): ForeseenChange[] {
  return [loosensBy(`lets a device with another key in as ${subject}, in place of the present one`)];
}

async function creationWords(id: string, { db, subject }: Telling): Promise<ForeseenChange[]> {
  const peer = await readReach(db, id);
  if (peer === undefined) return [];
  if (!peer.enabled) return [says(`${subject} may not connect before it is enabled`)];
  const networks = peer.network_ids.map((network) => `the network ${network}`).join(', ');
  const into = networks === '' ? 'a VPN gateway without networks' : networks;
  return [
    loosensBy(`lets ${subject} into ${into}`),
    ...(peer.routed_cidrs.length === 0 ? [] : rangeWords([], peer.routed_cidrs, subject)),
  ];
}

export const peerWords: ChangeWords = {
  members: ['enabled', 'expires_at', 'routed_cidrs', 'public_key'],
  say(effect, telling) {
    const { subject } = telling;
    if (effect.action === 'create') return effect.id === null ? [] : creationWords(effect.id, telling);
    const enabled = changeOf<boolean>(effect, 'enabled');
    const expiry = changeOf<string | null>(effect, 'expires_at');
    const routed = changeOf<readonly string[]>(effect, 'routed_cidrs');
    return [
      ...(enabled === undefined
        ? []
        : [enabled.after ? loosensBy(`lets ${subject} connect again`) : says(`locks ${subject} out`)]),
      ...(changeOf(effect, 'public_key') === undefined ? [] : keyWords(subject)),
      ...(expiry === undefined ? [] : expiryWords(expiry.before, expiry.after, subject)),
      ...(routed === undefined ? [] : rangeWords(routed.before, routed.after, subject)),
    ];
  },
};
