/** How times and texts of customers appear in mails. */

/** Times are stored as JSON until the mail is sent, so they come back as text. */
export type Time = Date | string;

const format = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

export const at = (time: Time): string => `${format.format(new Date(time))} UTC`;

const LONGEST = 100;
const WORD_JOINER = '\u2060';

/**
 * A text that a customer chose, safe to show to strangers: one short line, without invisible characters, and without
 * anything that a mail program would turn into a link.
 */
export function quoted(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = [...line].slice(0, LONGEST).join('');
  const cut = short.length < line.length ? `${short}…` : short;
  return cut.replaceAll('://', ' ').replace(/([.@])(?=[\p{L}\p{N}])/gu, `$1${WORD_JOINER}`);
}
