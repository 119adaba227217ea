/**
 * Allocates blocks that are larger than what machines get: IPv4 subnets, and IPv6 prefixes of many networks. They are
 * cut one by one, each at a multiple of its size; what is skipped for that becomes free blocks of the smallest size.
 * A block that was released is only given again as a whole.
 */
import { addressFromWords, parseAddress } from '../../../kernel/net/address.ts';
import { parseCidr } from '../../../kernel/net/cidr.ts';
import type { AddressPool } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import { SINGLE } from '../pool.ts';
import { type AddressRequest, addFree, type Holder, lockCut, setCut, take } from '../store.ts';
import type { PublicAddressRow } from '../table.ts';

/** The longest prefix that is cut, by version. Cuts are counted in such units. */
const UNIT = { 4: 29, 6: 56 } as const;
const WORD = 2 ** 32;

interface BlockPool {
  readonly slug: string;
  readonly cidr: string;
  /** How many units it has. */
  readonly size: number;
  /** The block of this length that begins with a unit. */
  at(unit: number, length: number): string;
}

function blockPool(slug: string, text: string): BlockPool[] {
  const cidr = parseCidr(text)?.cidr;
  if (cidr === undefined) return [];
  const { base, prefix } = cidr;
  const unit = UNIT[base.family];
  if (prefix > unit) return [];
  const at = (place: number, length: number): string => {
    if (base.family === 4) {
      const first = addressFromWords(0, 0, 0xffff, (base.w3 + place * 2 ** (32 - unit)) | 0);
      return `${first.text}/${length}`;
    }
    const low = (base.w1 >>> 0) + ((place * 2 ** (64 - unit)) % WORD);
    const high = (base.w0 >>> 0) + Math.floor((place * 2 ** (64 - unit)) / WORD) + Math.floor(low / WORD);
    return `${addressFromWords(high | 0, low | 0, 0, 0).text}/${length}`;
  };
  return [{ slug, cidr: cidr.text, size: 2 ** (unit - prefix), at }];
}

/** The second half of a range: pools of single prefixes are used from their beginning, so blocks come from there. */
function secondHalf(text: string): string {
  const cidr = parseCidr(text)?.cidr;
  if (cidr === undefined) return text;
  const { base, prefix } = cidr;
  const words = [base.w0, base.w1, base.w2, base.w3];
  const at = prefix >>> 5;
  words[at] = (words[at] ?? 0) | (1 << (31 - (prefix & 31)));
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
  return `${addressFromWords(w0, w1, w2, w3).text}/${prefix + 1}`;
}

/** The pools for blocks of this location and IP version, in the order of the provider's file. */
export function blockPoolsOf(
  pools: readonly AddressPool[],
  location: string,
  version: 4 | 6,
): readonly BlockPool[] {
  return pools.flatMap((pool) => {
    const [base = ''] = pool.cidr.split('/');
    if (pool.location !== location || parseAddress(base)?.family !== version) return [];
    if (pool.purpose === 'subnet') return blockPool(pool.slug, pool.cidr);
    return version === 6 ? blockPool(pool.slug, secondHalf(pool.cidr)) : [];
  });
}

/** Cuts the next block of this length. False if the pool has none any more. */
async function cutBlock(db: Db, pool: BlockPool, version: 4 | 6, length: number, location: string) {
  const cut = await lockCut(db, pool);
  const units = 2 ** (UNIT[version] - length);
  const start = Math.ceil(cut / units) * units;
  if (start + units > pool.size) return false;
  const skipped = Array.from({ length: start - cut }, (_, n) => pool.at(cut + n, UNIT[version]));
  await addFree(db, pool, location, [...skipped, pool.at(start, length)]);
  await setCut(db, pool, start + units);
  return true;
}

/** Returns null if the pools of the location have no such block left. */
export async function allocateBlock(
  db: Db,
  { pools: all, version, ...holder }: AddressRequest,
  length: number,
): Promise<PublicAddressRow | null> {
  const pools = blockPoolsOf(all, holder.location, version);
  const lengths = { ...SINGLE, [version]: length };
  const takeOne = async (others: 'skip' | 'wait') =>
    (await take(db, pools, holder satisfies Holder, [version], others, lengths))[0];
  const free = await takeOne('skip');
  if (free !== undefined) return free;
  for (const pool of pools)
    while (await cutBlock(db, pool, version, length, holder.location)) {
      const row = await takeOne('skip');
      if (row !== undefined) return row;
    }
  return (await takeOne('wait')) ?? null;
}
