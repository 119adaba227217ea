/**
 * Finds the sentences in source code: its texts, with a sign in place of each value that is put into them. `npm run spec`
 * writes them to `sentences.json`, so that the server knows which sentences are its own (`own-sentences.ts`).
 */

/** Stands for a value in a sentence. No text of ours has this sign. */
export const SLOT = '¤';

/** A value may be the end of a sentence, or a sentence. */
const SENTENCE_END = /(?<=[.?!¤]) (?=[A-Z])|(?<=[.?!]) (?=¤|call_)/;

export const sentencesOf = (text: string): string[] => text.split(SENTENCE_END);

/** Texts of the document and the forms, which no refusal contains. */
const OTHER_TEXT = /\b(?:description|summary|title|means|when|next_step|nextStep|label|reason):\s*$/;

const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

const LETTERS = /\p{L}/gu;
/** A sentence, or what may be added to one: `; did you mean …?` */
const FORM = /^(?:[A-Z"¤].*[.?!¤]|[;,:(].*)$/;
const CODE = /[<>=|&{}[\]$]|::/;

/** Too few letters would fit to everything. */
const isTelling = (sentence: string): boolean =>
  FORM.test(sentence) &&
  !CODE.test(sentence) &&
  sentence.includes(' ') &&
  (sentence.match(LETTERS) ?? []).length >= 5;

class Scanner {
  readonly #code: string;
  #at = 0;
  readonly texts: string[] = [];

  constructor(code: string) {
    this.#code = code.replaceAll(COMMENTS, '');
  }

  /** Reads code up to the closing brace of a value in a template, or to the end. */
  code(isValue: boolean): void {
    for (let depth = 0; this.#at < this.#code.length; this.#at++) {
      const sign = this.#code[this.#at];
      if (sign === "'" || sign === '"' || sign === '`') this.#text(sign);
      else if (sign === '{') depth++;
      else if (sign === '}' && depth-- === 0 && isValue) return;
    }
  }

  #text(end: string): void {
    const isOther = OTHER_TEXT.test(this.#code.slice(Math.max(0, this.#at - 30), this.#at));
    let text = '';
    for (this.#at++; this.#at < this.#code.length; this.#at++) {
      const sign = this.#code[this.#at] ?? '';
      if (sign === end) break;
      // An apostrophe in a regular expression begins no text.
      if (sign === '\n' && end !== '`') return;
      if (sign === '\\') text += this.#code[++this.#at] ?? '';
      else if (end === '`' && sign === '$' && this.#code[this.#at + 1] === '{') {
        this.#at += 2;
        this.code(true);
        text += SLOT;
      } else text += sign;
    }
    if (!isOther) this.texts.push(text);
  }
}

/** The sentences in these files, in one order, each once. */
export function sentencesIn(files: readonly string[]): string[] {
  const found = files.flatMap((code) => {
    const scanner = new Scanner(code);
    scanner.code(false);
    return scanner.texts;
  });
  const sentences = found.flatMap((text) => sentencesOf(text.trim().replaceAll(/¤+/g, SLOT)));
  return [...new Set(sentences.filter(isTelling))].sort();
}
