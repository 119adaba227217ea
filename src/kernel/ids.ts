/**
 * TypeIDs: a prefix for the type and a UUIDv7 that sorts by time. They are opaque to clients. There is no library call
 * here because every request gets an id. In base32 the parts of a UUIDv7 fall on whole letters: ten for the
 * milliseconds, four for version, counter and variant, twelve random. The counter keeps the ids of one millisecond in
 * order.
 */
import { randomFillSync } from 'node:crypto';

export const prefixes = {
  account: 'acc',
  api_key: 'key',
  member: 'mem',
  allowlist_entry: 'ale',
  key_denial: 'den',
  audit_entry: 'aud',
  estimate: 'est',
  operation: 'op',
  event: 'evt',
  event_stream: 'str',
  webhook: 'wh',
  delivery: 'dlv',
  message: 'msg',
  budget: 'bud',
  request: 'req',
  vm: 'vm',
  snapshot: 'snap',
  network: 'net',
  interface: 'nic',
  image: 'img',
  ssh_key: 'sshkey',
  placement_group: 'pg',
  public_ip: 'ip',
  console_session: 'con',
} as const;

export type IdKind = keyof typeof prefixes;

const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix as string, kind as IdKind]));

/** The kind that the id's prefix stands for. */
export const kindOfId = (id: string): IdKind | undefined => kinds.get(id.slice(0, id.indexOf('_')));

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

export function newId(kind: IdKind): string {
  tick();
  letters[10] = LETTERS[0b01110 | (counter >> 11)]!;
  letters[11] = LETTERS[(counter >> 6) & 31]!;
  letters[12] = LETTERS[(counter >> 1) & 31]!;
  letters[13] = LETTERS[((counter & 1) << 4) | 0b01000 | (nextByte() & 3)]!;
  for (let i = RANDOM_AT; i < LENGTH; i++) letters[i] = LETTERS[nextByte() & 31]!;
  return `${prefixes[kind]}_${letters.toString('latin1')}`;
}
