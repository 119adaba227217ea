/** What people call public addresses, their names and what they do with them, in English and German and in the words of other clouds. */
import type { Table } from '../phrases.ts';

export const ipManagement: Table = [
  [
    'reverse record',
    'reverse dns|rdns|ptr|ptrs|ptr record|ptr records|reverse lookup|reverse record|reverse records|reverse entry|reverse name|reverse names|reverse dns record|reverse dns name|reverse hostname|rdns entry|in addr arpa|reverse zone|fcrdns|forward confirmed|name of ~ ip|name of ~ address|hostname of ~ ip|hostname for ~ ip|' +
      'ptr eintrag|reverse eintrag|reverse dns eintrag|rdns eintrag|rückwärtsauflösung|reverseauflösung|namen der adresse|name der ip',
  ],
  [
    'address reserve +create',
    'reserve ~ ip|reserve ~ ips|reserve ~ address|allocate ~ address|allocate ~ ip|order ~ ip|order ~ ips|buy ~ ip|buy ~ ips|ip block|ip prefix|ip subnet order|reserve ~ prefix|reserve ~ subnet|' +
      'ip bestellen|ip adresse bestellen|ip reservieren|ip adresse reservieren|ip kaufen|adresse reservieren|subnetz bestellen',
  ],
  [
    'address release +delete',
    'release ~ address|release ~ ip|give ~ ip back|give ~ address back|return ~ ip|ip freigeben|ip adresse freigeben|adresse freigeben|ip zurückgeben|adresse zurückgeben',
  ],
];
