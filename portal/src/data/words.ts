/** How times, amounts and roles are said. */

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "2 minutes ago", "in 61 days". */
export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  // The clock of the page moves every ten seconds: what has just happened must not be said to be in the future.
  if (Math.abs(seconds) < 10) return 'now';
  // A number of days says more than a number of months.
  if (Math.abs(seconds) >= 86_400 && Math.abs(seconds) < 100 * 86_400)
    return relative.format(Math.round(seconds / 86_400), 'day');
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return relative.format(Math.round(seconds / length), unit);
}

/** The time in the person's own time zone, to the minute. */
export const formatTime = (time: string): string =>
  new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

export const roleWords: Readonly<Record<string, string>> = {
  owner: 'Everything, and decisions about the account itself.',
  admin: 'Everything except transferring the account.',
  operator: 'All products; reads the account, and runs its operations, webhooks and budgets.',
  developer: 'Builds with all products; deletes only machines, snapshots, volumes, images and ISOs.',
  viewer: 'Reads everything but credentials.',
  billing: 'Sees cost, budgets and prices in the portal; may not own keys.',
};

export const roleNames = Object.keys(roleWords);

/** Words that people write in another way than the names of the API do. */
const NAMES = new Map(
  'API BIOS CIDR DNS GB ICMP ICMPv6 ID IDs IP IPs IPv4 IPv6 ISO ISOs MAC MB MTU NAT OS SSH TB TCP TLS UDP UEFI URL vCPU vCPUs VPN VPS'
    .split(' ')
    .map((name) => [name.toLowerCase(), name])
    .concat([
      ['vm', 'machine'],
      ['vms', 'machines'],
    ]) as [string, string][],
);

/** `public_key` as "Public key". */
export const spoken = (name: string): string => {
  const words = name
    .replaceAll(/[_-]/g, ' ')
    .replaceAll(/\w+/g, (word) => NAMES.get(word.toLowerCase()) ?? word);
  const [first = ''] = words.split(' ');
  return NAMES.has(first.toLowerCase()) ? words : words.slice(0, 1).toUpperCase() + words.slice(1);
};

/** "ISO" stays as it is in a sentence, "Backup policy" becomes "backup policy". */
export const inSentence = (words: string): string =>
  words.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
