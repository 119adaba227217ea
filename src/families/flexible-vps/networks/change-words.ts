/** What changes of a private network mean for the ways in and out of it. */
import type { ChangeWords, ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';
import type { NetworkRow, Route } from './table.ts';

const routeWords = ({ destination, next_hop }: Route): string => `${destination} through ${next_hop}`;

/** A route lets machines reach what is behind the next hop, which gets their packets. */
function routesWords(before: readonly Route[], after: readonly Route[], subject: string): ForeseenChange[] {
  const missingIn = (list: readonly Route[], other: readonly Route[]): string[] => {
    const known = new Set(other.map(routeWords));
    return list.map(routeWords).filter((text) => !known.has(text));
  };
  const added = missingIn(after, before).map((route) => loosensBy(`routes ${route} in ${subject}`));
  const gone = missingIn(before, after).map((route) => says(`no longer routes ${route} in ${subject}`));
  const words = [...added, ...gone];
  if (words.length > 0) return words;
  return [says(`changes the descriptions or the order of the routes of ${subject}`)];
}

/** Whoever answers for names decides which servers the machines reach. */
function dnsWords(before: NetworkRow['dns'], after: NetworkRow['dns'], subject: string): ForeseenChange[] {
  const added = after.servers.filter((server) => !before.servers.includes(server));
  const gone = before.servers.filter((server) => !after.servers.includes(server));
  const isReordered = added.length + gone.length === 0 && before.servers.join() !== after.servers.join();
  return [
    ...added.map((server) => loosensBy(`lets the DNS server ${server} answer the machines in ${subject}`)),
    ...gone.map((server) =>
      says(`no longer lets the DNS server ${server} answer the machines in ${subject}`),
    ),
    ...(isReordered ? [says(`changes the order of the DNS servers of ${subject}`)] : []),
    ...(before.domain === after.domain
      ? []
      : [
          says(
            after.domain === null
              ? `removes the domain of ${subject}`
              : `sets the domain of ${subject} to ${after.domain}`,
          ),
        ]),
  ];
}

/** NAT gives machines without a public address a way to the internet. */
function natWords(before: NetworkRow['nat'], after: NetworkRow['nat'], subject: string): ForeseenChange[] {
  const families = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;
  return (['ipv4', 'ipv6'] as const)
    .filter((family) => before[family] !== after[family])
    .map((family) =>
      after[family]
        ? loosensBy(`lets the machines in ${subject} out to the internet by ${families[family]}`)
        : says(`no longer lets the machines in ${subject} out to the internet by ${families[family]}`),
    );
}

export const networkWords: ChangeWords = {
  members: ['routes', 'nat', 'dns'],
  say(effect, { subject }) {
    const routes = changeOf<readonly Route[]>(effect, 'routes');
    const nat = changeOf<NetworkRow['nat']>(effect, 'nat');
    const dns = changeOf<NetworkRow['dns']>(effect, 'dns');
    return [
      ...(dns === undefined ? [] : dnsWords(dns.before, dns.after, subject)),
      ...(nat === undefined ? [] : natWords(nat.before, nat.after, subject)),
      ...(routes === undefined ? [] : routesWords(routes.before, routes.after, subject)),
    ];
  },
};
