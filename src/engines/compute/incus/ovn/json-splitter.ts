/** Splits a stream of JSON objects that follow each other without a separator. */
export class JsonSplitter {
  #text = '';
  #at = 0;
  #depth = 0;
  #isQuoted = false;

  /** Returns the objects that are complete with this text. */
  add(text: string): string[] {
    const found: string[] = [];
    this.#text += text;
    for (; this.#at < this.#text.length; this.#at++) {
      const sign = this.#text[this.#at];
      if (this.#isQuoted) {
        if (sign === '\\') this.#at++;
        else if (sign === '"') this.#isQuoted = false;
        continue;
      }
      if (sign === '"') this.#isQuoted = true;
      else if (sign === '{') this.#depth++;
      else if (sign === '}' && --this.#depth === 0) {
        found.push(this.#text.slice(0, this.#at + 1));
        this.#text = this.#text.slice(this.#at + 1);
        this.#at = -1;
      }
    }
    return found;
  }
}
