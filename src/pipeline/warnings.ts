import { maskKeys } from '../kernel/access/key-format.ts';
import type { Warning } from '../kernel/effect.ts';

/** Clients refuse answers whose headers together are larger than 16 KiB. */
const MOST_BYTES = 4096;

/** Header values are ASCII, so other characters are escaped as in JSON. */
const ascii = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The value of `Hostplane-Warnings`: a JSON array with as many of the warnings as fit. */
export function warningsHeader(warnings: readonly Warning[]): string {
  const kept = [...warnings];
  for (;;) {
    const text = ascii(maskKeys(JSON.stringify(kept)));
    if (text.length <= MOST_BYTES || kept.length <= 1) return text;
    kept.pop();
  }
}
