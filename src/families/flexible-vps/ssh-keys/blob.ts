/** Reads the fields of RFC 4251 section 5 in order. Throws the given fault if a field is truncated or malformed. */
export class KeyBlob {
  readonly #bytes: Buffer;
  readonly #fault: () => Error;
  #at = 0;

  constructor(bytes: Buffer, fault: () => Error) {
    this.#bytes = bytes;
    this.#fault = fault;
  }

  string(): Buffer {
    const start = this.#at + 4;
    if (start > this.#bytes.length) throw this.#fault();
    const end = start + this.#bytes.readUInt32BE(this.#at);
    if (end > this.#bytes.length) throw this.#fault();
    this.#at = end;
    return this.#bytes.subarray(start, end);
  }

  /** A positive mpint in its shortest form: a leading zero byte only if the next byte has its top bit set. */
  positive(): { readonly bytes: Buffer; readonly bits: number } {
    const field = this.string();
    const [first, second = 0] = field;
    const isSigned = first !== undefined && first >= 0x80;
    const isPadded = first === 0 && second < 0x80;
    if (first === undefined || isSigned || isPadded) throw this.#fault();
    const bytes = first === 0 ? field.subarray(1) : field;
    return { bytes, bits: (bytes.length - 1) * 8 + (32 - Math.clz32(bytes[0] ?? 0)) };
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw this.#fault();
  }
}
