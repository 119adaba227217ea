import { randomBytes } from 'node:crypto';

/** A locally administered unicast address. A unique constraint of the table prevents duplicates. */
export function newMac(): string {
  const bytes = [0x02, ...randomBytes(5)];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** The index in a /64 of the address that a guest derives from this MAC (RFC 4291, appendix A). */
export function placeIn64(mac: string): bigint {
  const [first = 0, b = 0, c = 0, ...rest] = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const bytes = [first ^ 0x02, b, c, 0xff, 0xfe, ...rest];
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
