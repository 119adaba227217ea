/** Which networks the peers of a gateway reach after a change, and whom they ask for names. */
import type { ChangeWords, ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';

/** Whoever answers for names decides which servers the peers reach. */
function serverWords(before: readonly string[], after: readonly string[], subject: string): ForeseenChange[] {
  const added = after.filter((server) => !before.includes(server));
  const gone = before.filter((server) => !after.includes(server));
  if (added.length + gone.length === 0) return [says(`changes the order of the DNS servers of ${subject}`)];
  return [
    ...added.map((server) => loosensBy(`lets the DNS server ${server} answer the peers of ${subject}`)),
    ...gone.map((server) => says(`no longer lets the DNS server ${server} answer the peers of ${subject}`)),
  ];
}

function networkWords(
  before: readonly string[],
  after: readonly string[],
  subject: string,
): ForeseenChange[] {
  const added = after.filter((id) => !before.includes(id));
  const gone = before.filter((id) => !after.includes(id));
  if (added.length + gone.length === 0) return [says(`changes the order of the networks of ${subject}`)];
  return [
    ...added.map((id) => loosensBy(`lets the peers of ${subject} into the network ${id}`)),
    ...gone.map((id) => says(`takes the network ${id} from the peers of ${subject}`)),
  ];
}

export const gatewayWords: ChangeWords = {
  members: ['network_ids', 'dns_servers'],
  say(effect, { subject }) {
    const networks = changeOf<readonly string[]>(effect, 'network_ids');
    const servers = changeOf<readonly string[]>(effect, 'dns_servers');
    return [
      ...(networks === undefined ? [] : networkWords(networks.before, networks.after, subject)),
      ...(servers === undefined ? [] : serverWords(servers.before, servers.after, subject)),
    ];
  },
};
