/**
 * The Markdown that a message may contain: without HTML, and without links that a browser would run. Code keeps every
 * character, because people quote configurations and logs.
 */

/** Fenced blocks, and code within a line. A fence that nobody closes goes on to the end. */
const CODE = /(^|\n)(```|~~~)[\s\S]*?(?:\n\2|$(?![\s\S]))|(`+)(?!`)[^\n]*?[^`]\3(?!`)/g;

/** With all that is between their tags. */
const WITH_CONTENT =
  /<(script|style|iframe|object|template|noscript)\b[^>]{0,2000}>[\s\S]*?(?:<\/\1\s*>|$)/gi;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Only names of elements: `<host>` in a sentence and `a < b` stay as they are. */
const TAG =
  /<\/?(?:a|abbr|address|area|article|aside|audio|b|base|bdi|bdo|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|dd|del|details|dfn|dialog|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|legend|li|link|main|map|mark|marquee|math|menu|meta|meter|nav|noscript|object|ol|optgroup|option|output|p|param|picture|pre|progress|q|rp|rt|ruby|s|samp|script|section|select|slot|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|u|ul|var|video|wbr)(?:\s[^<>]{0,2000})?\/?>/gi;

/** `[text](target)` and `[name]: target`; a target may contain pairs of brackets. */
const TARGET = /(\]\(|\]:)[^\S\n]*<?((?:[^\s()<>]|\([^\s()]{0,500}\)){0,2000})/g;
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,20}:[^\s<>]{0,2000})>/gi;
const SAFE = /^(?:https?:\/\/|mailto:|#|\/|[^:]*$)/i;

function strip(text: string): string {
  let before: string;
  let now = text;
  // Removing a tag can join the halves of another: `<scr<b></b>ipt>`.
  do {
    before = now;
    now = now.replace(COMMENT, '').replace(WITH_CONTENT, '').replace(TAG, '');
  } while (now !== before);
  return now
    .replace(TARGET, (whole, opening: string, target: string) => (SAFE.test(target) ? whole : opening))
    .replace(AUTOLINK, (whole, target: string) => (SAFE.test(target) ? whole : target));
}

export function plainMarkdown(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').replace(/[^\P{Cc}\n\t]/gu, '');
  let result = '';
  let end = 0;
  for (const { 0: code, index } of lines.matchAll(CODE)) {
    result += strip(lines.slice(end, index)) + code;
    end = index + code.length;
  }
  return (result + strip(lines.slice(end))).trim();
}
