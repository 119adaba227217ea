/** One-time passwords of authenticator apps: RFC 6238 with SHA-1, 6 digits and steps of 30 seconds, as all apps use. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** The clocks of phones differ: the step before and the step after are accepted too. */
const DRIFT = 1;

export const stepAt = (seconds: number): number => Math.floor(seconds / STEP_SECONDS);

export function codeAt(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE(mac[mac.length - 1]! & 15) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The time step of the code, or null if the code is wrong. The caller has to refuse a step that was used before. */
export function matchingStep(secret: Buffer, code: string, seconds = Date.now() / 1000): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const now = stepAt(seconds);
  for (let step = now - DRIFT; step <= now + DRIFT; step++)
    if (timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code))) return step;
  return null;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

/** The text of the QR code that apps read. */
export function otpauthUri(secret: Buffer, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
