/** Computes the hashes of audit entries here, so that nobody has to believe what the server says about its own log. */
import { canonicalJson } from '../../../src/kernel/audit/canonical-json.ts';

interface Linked {
  readonly id: string;
  readonly prev_hash: string;
  readonly hash: string;
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const hexOf = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export async function hashOf({ hash: _, prev_hash, ...entry }: Linked): Promise<string> {
  const before = bytesOf(prev_hash);
  const text = new TextEncoder().encode(canonicalJson(entry));
  const all = new Uint8Array(before.length + text.length);
  all.set(before);
  all.set(text, before.length);
  return hexOf(await crypto.subtle.digest('SHA-256', all));
}

/**
 * The first entry that does not fit, from the newest to the oldest; null if all do. `newer`: the entry above them, to
 * which the first of them must lead.
 */
export async function findFault<Entry extends Linked>(
  entries: readonly Entry[],
  newer: Entry | null = null,
): Promise<{ readonly entry: Entry; readonly why: 'hash' | 'link' } | null> {
  let above = newer;
  for (const entry of entries) {
    if (above !== null && above.prev_hash !== entry.hash) return { entry, why: 'link' };
    if ((await hashOf(entry)) !== entry.hash) return { entry, why: 'hash' };
    above = entry;
  }
  return null;
}
