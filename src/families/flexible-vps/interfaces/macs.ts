import { randomBytes } from 'node:crypto';

/** Locally administered, unicast. That no two are alike is the table's to say. */
export function newMac(): string {
  const bytes = [0x02, ...randomBytes(5)];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** Where in a /64 a guest with this address finds its own (RFC 4291, appendix A). */
export function placeIn64(mac: string): bigint {
  const [first = 0, b = 0, c = 0, ...rest] = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const bytes = [first ^ 0x02, b, c, 0xff, 0xfe, ...rest];
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
