/**
 * Estimates how many tokens a text costs a model. A tokenizer would add megabytes to the server; the estimate is on the
 * safe side, and the tests compare it with a real tokenizer.
 */
const RUNS = /[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[\t\n ]+|[!-/:-@[-`{-~]+|[^\x20-\x7e\t\n]+/g;

/** No word of a language that tokenizers know well has so many consonants in a row. */
const NO_WORD = /[^aeiouy]{5}/i;

function costOf(run: string, isAfterDigit: boolean): number {
  const sign = run.charCodeAt(0);
  if (sign > 126) return Buffer.byteLength(run);
  if (sign >= 48 && sign <= 57) return run.length / 3;
  // A space is part of the token of the next word.
  if (sign <= 32) return run.length > 1 ? 1 : 0;
  const isLetter = (sign >= 65 && sign <= 90) || sign >= 97;
  if (!isLetter || sign > 122) return run.length / 1.6;
  // Letters beside digits are ids, which have no words in them.
  if (isAfterDigit || run.length > 14) return run.length / 2;
  return run.length / (NO_WORD.test(run) ? 1.4 : 6);
}

export function estimateTokens(text: string): number {
  let tokens = 0;
  let isAfterDigit = false;
  for (const [run] of text.matchAll(RUNS)) {
    tokens += Math.ceil(costOf(run, isAfterDigit));
    isAfterDigit = run >= '0' && run < ':';
  }
  return Math.ceil(tokens * 1.1);
}
