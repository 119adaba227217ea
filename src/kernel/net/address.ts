/**
 * IP addresses: four 32-bit words and one canonical text. IPv4 is stored as `::ffff:a.b.c.d`, and that spelling is read
 * as IPv4, so that a client never has two names. The parser is written by hand because it runs on every request. It is
 * strict because a lenient parser (octal, zone ids, short forms) lets a client bypass an allowlist.
 */
export interface Address {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
  /** RFC 5952; for IPv4 the dotted quad. */
  readonly text: string;
}

const CACHED = 4096;
let recent = new Map<string, Address>();

/** `null` when the text is not exactly one address. */
export function parseAddress(text: string): Address | null {
  const known = recent.get(text) ?? recentlyMapped(text);
  if (known !== undefined) return known;
  const address = text.includes(':') ? parseIPv6(text) : parseIPv4(text);
  if (address === null) return null;
  if (recent.size >= CACHED) recent = new Map();
  // The cache key is the canonical text: a slice of a header would keep the whole header in memory.
  recent.set(address.text, address);
  return address;
}

/** A dual-stack socket reports every IPv4 peer as `::ffff:a.b.c.d`, so the cache is also searched for this form. */
function recentlyMapped(text: string): Address | undefined {
  if (!text.startsWith('::ffff:')) return undefined;
  const known = recent.get(text.slice(7));
  return known?.family === 4 ? known : undefined;
}

/** Words are signed 32-bit integers, because that is what JavaScript's bitwise operators return. */
export function addressFromWords(w0: number, w1: number, w2: number, w3: number): Address {
  if (w0 === 0 && w1 === 0 && w2 === 0xffff) {
    const text = `${w3 >>> 24}.${(w3 >>> 16) & 255}.${(w3 >>> 8) & 255}.${w3 & 255}`;
    return { family: 4, w0, w1, w2, w3, text };
  }
  return { family: 6, w0, w1, w2, w3, text: formatIPv6(w0, w1, w2, w3) };
}

function parseIPv4(text: string): Address | null {
  const value = readQuad(text, 0);
  return value < 0 ? null : addressFromWords(0, 0, 0xffff, value | 0);
}

/** The value of the dotted quad from `start` to the end of the text, or -1. */
function readQuad(text: string, start: number): number {
  const length = text.length;
  if (length - start < 7 || length - start > 15) return -1;
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let i = start; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === 46) {
      if (digits === 0 || ++dots > 3) return -1;
      value = value * 256 + octet;
      octet = 0;
      digits = 0;
    } else {
      const leadingZero = digits > 0 && octet === 0;
      if (code < 48 || code > 57 || leadingZero) return -1;
      octet = octet * 10 + code - 48;
      digits++;
      if (octet > 255) return -1;
    }
  }
  return dots === 3 && digits > 0 ? value * 256 + octet : -1;
}

const scratch = new Uint16Array(8);

function parseIPv6(text: string): Address | null {
  const length = text.length;
  if (length > 45) return null;
  scratch.fill(0);
  let filled = 0;
  let gap = -1;
  let i = 0;
  if (text.startsWith('::')) {
    gap = 0;
    i = 2;
  }
  while (i < length) {
    if (filled === 8) return null;
    const start = i;
    let group = 0;
    let digit = hexDigit(text, i);
    while (digit >= 0 && i - start < 4) {
      group = group * 16 + digit;
      digit = hexDigit(text, ++i);
    }
    if (text.charCodeAt(i) === 46) {
      const quad = filled <= 6 ? readQuad(text, start) : -1;
      if (quad < 0) return null;
      scratch[filled++] = quad >>> 16;
      scratch[filled++] = quad & 0xffff;
      break;
    }
    if (i === start) return null;
    scratch[filled++] = group;
    if (i === length) break;
    if (text.charCodeAt(i++) !== 58) return null;
    if (text.charCodeAt(i) === 58) {
      if (gap >= 0) return null;
      gap = filled;
      i++;
    } else if (i === length) return null;
  }
  // `::` must stand for at least one group of zeros.
  if (gap < 0 ? filled !== 8 : filled > 7) return null;
  if (gap >= 0) {
    scratch.copyWithin(8 - filled + gap, gap, filled);
    scratch.fill(0, gap, 8 - filled + gap);
  }
  return addressFromWords(scratchWord(0), scratchWord(2), scratchWord(4), scratchWord(6));
}

function hexDigit(text: string, i: number): number {
  const code = text.charCodeAt(i);
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function scratchWord(group: number): number {
  return (scratch[group]! << 16) | scratch[group + 1]!;
}

/** RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
function formatIPv6(w0: number, w1: number, w2: number, w3: number): string {
  const groups = [
    w0 >>> 16,
    w0 & 0xffff,
    w1 >>> 16,
    w1 & 0xffff,
    w2 >>> 16,
    w2 & 0xffff,
    w3 >>> 16,
    w3 & 0xffff,
  ];
  let gap = 0;
  let gapLength = 1;
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start > gapLength) {
      gap = start;
      gapLength = end - start;
    }
    start = end;
  }
  const words = groups.map((group) => group.toString(16));
  if (gapLength === 1) return words.join(':');
  return `${words.slice(0, gap).join(':')}::${words.slice(gap + gapLength).join(':')}`;
}
