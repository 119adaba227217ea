/** QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 20. Enough for every `otpauth:` address. */

const ECC_PER_BLOCK = [0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const BLOCKS = [0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const FORMAT_M = 0;

function rawModules(version: number): number {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const patterns = Math.floor(version / 7) + 2;
    bits -= (25 * patterns - 10) * patterns - 55;
    if (version >= 7) bits -= 36;
  }
  return bits;
}

const at = (list: readonly number[], index: number): number => list[index] ?? 0;
const dataCodewords = (version: number): number =>
  Math.floor(rawModules(version) / 8) - at(ECC_PER_BLOCK, version) * at(BLOCKS, version);

/** Multiplication in GF(2^8) with the polynomial 0x11d. */
function multiply(x: number, y: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((y >>> bit) & 1) * x;
  }
  return product;
}

function divisor(degree: number): number[] {
  const result: number[] = Array.from({ length: degree }, (_, i) => (i === degree - 1 ? 1 : 0));
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) result[j] = multiply(at(result, j), root) ^ at(result, j + 1);
    root = multiply(root, 2);
  }
  return result;
}

function remainder(data: readonly number[], by: readonly number[]): number[] {
  const result = by.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0);
    result.push(0);
    by.forEach((coefficient, i) => {
      result[i] = at(result, i) ^ multiply(coefficient, factor);
    });
  }
  return result;
}

function encode(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number): void => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >>> i) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  const capacity = dataCodewords(version) * 8;
  push(0, Math.min(4, capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
}

function interleave(data: readonly number[], version: number): number[] {
  const count = at(BLOCKS, version);
  const ecc = at(ECC_PER_BLOCK, version);
  const raw = Math.floor(rawModules(version) / 8);
  const short = count - (raw % count);
  const shortLength = Math.floor(raw / count) - ecc;
  const by = divisor(ecc);
  let from = 0;
  const blocks = Array.from({ length: count }, (_, i) => {
    const part = data.slice(from, from + shortLength + (i < short ? 0 : 1));
    from += part.length;
    return { part, ecc: remainder(part, by) };
  });
  const result: number[] = [];
  for (let i = 0; i <= shortLength; i++)
    for (const { part } of blocks) if (i < part.length) result.push(at(part, i));
  for (let i = 0; i < ecc; i++) for (const block of blocks) result.push(at(block.ecc, i));
  return result;
}

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Grid {
  readonly size: number;
  readonly dark: boolean[][];
  readonly isFixed: boolean[][];
  readonly #version: number;

  constructor(version: number) {
    this.#version = version;
    this.size = version * 4 + 17;
    this.dark = Array.from({ length: this.size }, () => Array<boolean>(this.size).fill(false));
    this.isFixed = Array.from({ length: this.size }, () => Array<boolean>(this.size).fill(false));
    this.#drawPatterns();
  }

  set(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y]![x] = dark;
    this.isFixed[y]![x] = true;
  }

  #drawPatterns(): void {
    for (let i = 0; i < this.size; i++) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    const far = this.size - 4;
    for (const [x, y] of [
      [3, 3],
      [far, 3],
      [3, far],
    ] as const)
      this.#finder(x, y);
    const places = this.#alignments();
    const last = places.length - 1;
    places.forEach((x, i) => {
      places.forEach((y, j) => {
        const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
        if (!isFinder) this.#alignment(x, y);
      });
    });
    this.drawFormat(0);
    this.#drawVersion();
  }

  #finder(x: number, y: number): void {
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const distance = Math.max(Math.abs(dx), Math.abs(dy));
        this.set(x + dx, y + dy, distance !== 2 && distance !== 4);
      }
  }

  #alignment(x: number, y: number): void {
    for (let dy = -2; dy <= 2; dy++)
      for (let dx = -2; dx <= 2; dx++) this.set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }

  #alignments(): number[] {
    if (this.#version === 1) return [];
    const count = Math.floor(this.#version / 7) + 2;
    const step = Math.ceil((this.size - 13) / (count * 2 - 2)) * 2;
    return [6, ...Array.from({ length: count - 1 }, (_, i) => this.size - 7 - step * (count - 2 - i))];
  }

  drawFormat(mask: number): void {
    const data = (FORMAT_M << 3) | mask;
    let rest = data;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const bit = (i: number): boolean => ((bits >>> i) & 1) === 1;
    for (let i = 0; i <= 5; i++) this.set(8, i, bit(i));
    this.set(8, 7, bit(6));
    this.set(8, 8, bit(7));
    this.set(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.set(this.size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.set(8, this.size - 15 + i, bit(i));
    this.set(8, this.size - 8, true);
  }

  #drawVersion(): void {
    if (this.#version < 7) return;
    let rest = this.#version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (this.#version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const [a, b] = [this.size - 11 + (i % 3), Math.floor(i / 3)];
      this.set(a, b, ((bits >>> i) & 1) === 1);
      this.set(b, a, ((bits >>> i) & 1) === 1);
    }
  }

  /** The free places in the order of the code: two columns at a time, from the right, up and down in turn. */
  *places(): Generator<readonly [number, number]> {
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let i = 0; i < this.size; i++)
        for (const x of [right, right - 1]) {
          const y = ((right + 1) & 2) === 0 ? this.size - 1 - i : i;
          if (!this.isFixed[y]![x]) yield [x, y];
        }
    }
  }
}

/** Long runs, blocks and an uneven share of dark modules are hard to read. */
function penalty({ dark, size }: Grid): number {
  let points = 0;
  const lines = [...dark, ...dark.map((_, x) => dark.map((row) => row[x] === true))];
  for (const line of lines) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * (text.match(/(?=10111010000|00001011101)/g)?.length ?? 0);
  }
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) {
      const here = dark[y]![x];
      if (here === dark[y]![x - 1] && here === dark[y - 1]![x] && here === dark[y - 1]![x - 1]) points += 3;
    }
  const share = dark.flat().filter(Boolean).length / size ** 2;
  return points + Math.floor(Math.abs(share - 0.5) * 20) * 10;
}

/** Rows of modules; true is dark. */
export function qrCode(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex(
    (_, i) => i > 0 && dataCodewords(i) * 8 >= bytes.length * 8 + (i < 10 ? 12 : 20),
  );
  if (version < 1) throw new Error('The text is too long for a QR code.');
  const codewords = interleave(encode(bytes, version), version);
  const tried = masks.map((isMasked, mask) => {
    const grid = new Grid(version);
    let i = 0;
    for (const [x, y] of grid.places()) {
      const bit = ((at(codewords, i >>> 3) >>> (7 - (i & 7))) & 1) === 1;
      grid.dark[y]![x] = bit !== isMasked(x, y);
      i++;
    }
    grid.drawFormat(mask);
    return grid;
  });
  return tried.toSorted((a, b) => penalty(a) - penalty(b))[0]!.dark;
}
