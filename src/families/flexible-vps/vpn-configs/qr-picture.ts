/** Draws a text as a QR code, as a PNG picture in black and white. */
import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';

const SCALE = 8;
const BORDER = 4;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** One bit for each pixel, white is 1; each row begins with a byte for the filter, which is none. */
function png(isDark: (x: number, y: number) => boolean, size: number): Buffer {
  const width = size * SCALE;
  const row = Math.ceil(width / 8);
  const pixels = Buffer.alloc((row + 1) * width);
  for (let y = 0; y < width; y++)
    for (let x = 0; x < width; x++)
      if (!isDark(Math.floor(x / SCALE), Math.floor(y / SCALE))) {
        const at = y * (row + 1) + 1 + (x >> 3);
        pixels[at] = (pixels[at] ?? 0) | (0x80 >> (x & 7));
      }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header[8] = 1;
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

export function qrPicture(text: string): Buffer {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  return png((x, y) => data[y]?.[x] === true, size);
}
