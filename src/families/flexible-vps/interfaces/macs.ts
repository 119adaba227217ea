import { randomBytes } from 'node:crypto';

const textOf = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');

/** A locally administered unicast address. A unique constraint of the table prevents duplicates. */
export const newMac = (): string => textOf([0x02, ...randomBytes(5)]);

/**
 * The MAC of an interface that is made for this IPv4 address. The next machine with the address has the same MAC, so
 * neighbours that remember the MAC, and a DHCP server that still has the lease of the former machine, serve it at once.
 */
export const macFor = (ipv4: string): string => textOf([0x02, 0x00, ...ipv4.split('.').map(Number)]);

/** The index in a /64 of the address that a guest derives from this MAC (RFC 4291, appendix A). */
export function placeIn64(mac: string): bigint {
  const [first = 0, b = 0, c = 0, ...rest] = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const bytes = [first ^ 0x02, b, c, 0xff, 0xfe, ...rest];
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
