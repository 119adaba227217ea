/** What changes of a private network mean for the ways in and out of it. */
import type { ChangeWords, ForeseenChange } from '../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, says } from '../../../kernel/change-words/change-words.ts';
import type { NetworkRow, Route } from './table.ts';

const routeWords = ({ destination, next_hop }: Route): string => `${destination} through ${next_hop}`;

function routesWords(before: readonly Route[], after: readonly Route[], subject: string): ForeseenChange[] {
  const missingIn = (list: readonly Route[], other: readonly Route[]): string[] => {
    const known = new Set(other.map(routeWords));
    return list.map(routeWords).filter((text) => !known.has(text));
  };
  const added = missingIn(after, before).map((route) => `routes ${route} in ${subject}`);
  const gone = missingIn(before, after).map((route) => `no longer routes ${route} in ${subject}`);
  const texts = [...added, ...gone];
  return (
    texts.length > 0 ? texts : [`changes the descriptions or the order of the routes of ${subject}`]
  ).map(says);
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
  members: ['routes', 'nat'],
  say(effect, { subject }) {
    const routes = changeOf<readonly Route[]>(effect, 'routes');
    const nat = changeOf<NetworkRow['nat']>(effect, 'nat');
    return [
      ...(nat === undefined ? [] : natWords(nat.before, nat.after, subject)),
      ...(routes === undefined ? [] : routesWords(routes.before, routes.after, subject)),
    ];
  },
};
