/**
 * Creates TypeIDs: a prefix for the type and a UUIDv7 that sorts by time. They are opaque to clients. Hand-written for
 * speed, because every request gets an id. In base32 the parts of a UUIDv7 fall on whole letters: ten for the
 * milliseconds, four for version, counter and variant, twelve random. The counter keeps the ids of one millisecond in
 * order.
 */
import { randomFillSync } from 'node:crypto';

/** The prefixes of the kernel's own kinds. Resources declare their prefixes with `idPrefix`. */
const kernelPrefixes = {
  account: 'acc',
  api_key: 'key',
  member: 'mem',
  allowlist_entry: 'ale',
  key_denial: 'den',
  audit_entry: 'aud',
  operation: 'op',
  event: 'evt',
  event_stream: 'str',
  request: 'req',
  person: 'per',
  session: 'ses',
  passkey: 'pky',
  person_event: 'pev',
  sign_in_attempt: 'sia',
  invitation: 'inv',
} as const;
const prefixes = new Map<string, string>(Object.entries(kernelPrefixes));
const kinds = new Map([...prefixes].map(([kind, prefix]) => [prefix, kind]));

/** Declares the id prefix of a kind and returns the function that creates its ids. Throws if the prefix is taken. */
export function idPrefix(kind: string, prefix: string): () => string {
  if (prefixes.has(kind)) throw new Error(`Two prefixes were declared for ids of the kind "${kind}".`);
  const other = kinds.get(prefix);
  if (other !== undefined) throw new Error(`Ids of ${other} and ${kind} would both begin with "${prefix}_".`);
  prefixes.set(kind, prefix);
  kinds.set(prefix, kind);
  return () => idWith(prefix);
}

/** The kind that declared the prefix of this id. */
export const kindOfId = (id: string): string | undefined => kinds.get(id.slice(0, id.indexOf('_')));

const LETTERS = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz');
const TIME = 10;
const COUNTER_MAX = 0xfff;
const RANDOM_AT = 14;
const LENGTH = 26;

const letters = Buffer.alloc(LENGTH);
const random = Buffer.alloc(4096);
let used = random.length;
let time = 0;
let counter = COUNTER_MAX;

function nextByte(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return random[used++]!;
}

/** Time never goes back, even if the clock does. If the counter overflows, the next millisecond is used early. */
function tick(): void {
  const now = Date.now();
  if (now <= time && counter < COUNTER_MAX) {
    counter++;
    return;
  }
  time = Math.max(now, time + 1);
  counter = ((nextByte() << 8) | nextByte()) & (COUNTER_MAX >> 1);
  let rest = time;
  for (let i = TIME - 1; i >= 0; i--) {
    letters[i] = LETTERS[rest % 32]!;
    rest = Math.floor(rest / 32);
  }
}

/** For the kernel's own kinds. The ids of a resource are created by the function that `idPrefix` returned to it. */
export const newId = (kind: keyof typeof kernelPrefixes): string => idWith(kernelPrefixes[kind]);

function idWith(prefix: string): string {
  tick();
  letters[10] = LETTERS[0b01110 | (counter >> 11)]!;
  letters[11] = LETTERS[(counter >> 6) & 31]!;
  letters[12] = LETTERS[(counter >> 1) & 31]!;
  letters[13] = LETTERS[((counter & 1) << 4) | 0b01000 | (nextByte() & 3)]!;
  for (let i = RANDOM_AT; i < LENGTH; i++) letters[i] = LETTERS[nextByte() & 31]!;
  return `${prefix}_${letters.toString('latin1')}`;
}
