/**
 * The forms in which a secret may stand in a text: as it is, wrapped or spaced out, percent-encoded, or in base64. Each
 * reading knows the place in the sent text that its letters come from, so that a refusal can say where the secret is.
 */

export interface Reading {
  readonly text: string;
  /** White space was taken out, so that words stand against each other and only unmistakable formats count. */
  readonly isJoined: boolean;
  /** The part of the sent text that the letters from `start` to `end` of this reading come from. */
  place(start: number, end: number): { readonly offset: number; readonly length: number };
}

/** Letters, and for each of them the range of the sent text that it stands for. */
class Letters {
  text = '';
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  add(letters: string, start: number, end: number): void {
    this.text += letters;
    for (let i = 0; i < letters.length; i++) {
      this.#starts.push(start);
      this.#ends.push(end);
    }
  }

  reading(): Reading {
    return {
      text: this.text,
      isJoined: false,
      place: (start, end) => {
        const offset = this.#starts[start]!;
        return { offset, length: this.#ends[end - 1]! - offset };
      },
    };
  }
}

/** Characters that nobody sees: soft hyphens, zero-width spaces and joiners, marks of direction, byte order marks. */
const UNSEEN = /\p{Cf}|\p{Variation_Selector}|\u034f/u;

const asSent = (text: string): Reading => ({
  text,
  isJoined: false,
  place: (start, end) => ({ offset: start, length: end - start }),
});

/** The text as people see it: compatible forms of a letter, such as full-width ones, are the letter. */
function visible(text: string): Reading {
  if (/^[\0-\x7f]*$/.test(text)) return asSent(text);
  const letters = new Letters();
  let at = 0;
  for (const letter of text) {
    if (!UNSEEN.test(letter)) letters.add(letter.normalize('NFKC'), at, at + letter.length);
    at += letter.length;
  }
  return letters.reading();
}

function joined(reading: Reading): Reading[] {
  if (!/\s/.test(reading.text)) return [];
  // Nearly all texts contain nothing, so where their letters stood is found out only for those that do.
  let places: readonly number[] | undefined;
  return [
    {
      text: reading.text.replaceAll(/\s+/g, ''),
      isJoined: true,
      place(start, end) {
        places ??= [...reading.text.matchAll(/\S/g)].map(({ index }) => index);
        return reading.place(places[start]!, places[end - 1]! + 1);
      },
    },
  ];
}

function percentDecoded(reading: Reading): Reading[] {
  if (!/%[0-9a-f]{2}/i.test(reading.text)) return [];
  const letters = new Letters();
  for (const { 0: part, index } of reading.text.matchAll(/%[0-9a-f]{2}|[\s\S]/gi)) {
    const { offset, length } = reading.place(index, index + part.length);
    const letter = part.length === 3 ? String.fromCharCode(Number.parseInt(part.slice(1), 16)) : part;
    letters.add(letter, offset, offset + length);
  }
  return [letters.reading()];
}

/** Base64 of at least 24 bytes, also as lines of one block. */
const BASE64 = /[A-Za-z0-9+/_-]{32,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}/g;
const IS_TEXT = /^[\t\n\r\x20-\x7e]+$/;

/** A secret in it is found with its first letters, so the whole block is its place. */
function base64Decoded(reading: Reading): Reading[] {
  return [...reading.text.matchAll(BASE64)].flatMap(({ 0: block, index }) => {
    const text = Buffer.from(block.replaceAll(/\s/g, ''), 'base64').toString('latin1');
    if (!IS_TEXT.test(text)) return [];
    return [{ text, isJoined: false, place: () => reading.place(index, index + block.length) }];
  });
}

export function readingsOf(text: string): readonly Reading[] {
  const seen = visible(text);
  return [seen, ...joined(seen), ...percentDecoded(seen), ...base64Decoded(seen)];
}
