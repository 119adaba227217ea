/** Packs texts as a compressed tar archive. Times and owners are fixed, so that the same texts give the same bytes. */
import { gzipSync } from 'node:zlib';

const BLOCK = 512;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`The path ${path} is too long for the archive.`);
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tarGz(texts: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(texts).flatMap(([path, text]) => {
    const body = Buffer.from(text);
    return [header(path, body.length), body, Buffer.alloc(-body.length & (BLOCK - 1))];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}
