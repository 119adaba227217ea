/** The names under which the DNS has addresses and ranges: `10.2.0.192.in-addr.arpa.` is 192.0.2.10. */
import { type Address, addressFromWords, parseAddress } from '../../kernel/net/address.ts';
import { type Cidr, parseCidr } from '../../kernel/net/cidr.ts';

const trees = {
  4: { suffix: 'in-addr.arpa.', bits: 8, labels: 4, label: /^(0|[1-9]\d{0,2})$/, radix: 10 },
  6: { suffix: 'ip6.arpa.', bits: 4, labels: 32, label: /^[0-9a-f]$/, radix: 16 },
} as const;

/** From the first bits of the address to the last. */
function labelsOf({ family, w0, w1, w2, w3 }: Address): string[] {
  const { bits, radix } = trees[family];
  const words = family === 4 ? [w3] : [w0, w1, w2, w3];
  return words.flatMap((word) =>
    Array.from({ length: 32 / bits }, (_, n) =>
      ((word >>> (32 - bits * (n + 1))) & (2 ** bits - 1)).toString(radix),
    ),
  );
}

export function reverseNameOf(text: string): string {
  const address = parseAddress(text);
  if (address === null) throw new Error(`${text} is not an address.`);
  return [...labelsOf(address).reverse(), trees[address.family].suffix].join('.');
}

/** The name of the smallest zone that holds the whole range, without the dot at its end. */
export function zoneNameOf({ base, prefix }: Cidr): string {
  const { suffix, bits } = trees[base.family];
  const labels = labelsOf(base).slice(0, Math.floor(prefix / bits));
  // A zone for a single IPv4 address is not usual.
  if (base.family === 4 && labels.length === 4) labels.pop();
  return [...labels.reverse(), suffix.slice(0, -1)].join('.');
}

/** The range that a zone is for; null for names that are not those of whole labels, and for other zones. */
export function rangeOfZone(name: string): Cidr | null {
  const lower = name.toLowerCase();
  for (const family of [4, 6] as const) {
    const { suffix, bits, labels: most, label, radix } = trees[family];
    if (lower !== suffix && !lower.endsWith(`.${suffix}`)) continue;
    const labels = lower.slice(0, -suffix.length).split('.').filter(Boolean).reverse();
    if (labels.length > most || !labels.every((each) => label.test(each))) return null;
    const values = labels.map((each) => Number.parseInt(each, radix));
    if (values.some((value) => value >= 2 ** bits)) return null;
    return parseCidr(`${addressOf(family, values).text}/${labels.length * bits}`)?.cidr ?? null;
  }
  return null;
}

function addressOf(family: 4 | 6, values: readonly number[]): Address {
  const { bits } = trees[family];
  const perWord = 32 / bits;
  const [a, b, c, d] = [0, 1, 2, 3].map((word) =>
    Array.from({ length: perWord }, (_, n) => values[word * perWord + n] ?? 0).reduce(
      (sum, value) => (sum << bits) | value,
      0,
    ),
  );
  return family === 4 ? addressFromWords(0, 0, 0xffff, a!) : addressFromWords(a!, b!, c!, d!);
}

/** The address that a PTR record is for; null if the name is not that of a single address. */
export function addressOfName(name: string): string | null {
  const range = rangeOfZone(name);
  return range !== null && range.prefix === (range.base.family === 4 ? 32 : 128) ? range.base.text : null;
}
