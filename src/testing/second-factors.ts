/** People with a second factor, for tests of the portal. */
import { randomBytes } from 'node:crypto';
import { newId } from '../kernel/ids.ts';
import { hashCode } from '../portal-api/people/passwords/hashing.ts';
import { replaceCodes } from '../portal-api/people/recovery-codes/store.ts';
import { codeAt, stepAt } from '../portal-api/people/totp/totp.ts';
import { normaliseCode } from '../portal-api/people/typed-codes.ts';
import type { Db } from '../store/database.ts';
import type { TestApp } from './app.ts';
import { SoftwarePasskey } from './authenticator.ts';
import { type Browser, createPerson, ORIGIN } from './people.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes of a secret that was shown to set up an app. */
export function decodeSecret(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an app shows now, or so many steps later. */
export const appCodeOf = (secret: Buffer, later = 0): string =>
  codeAt(secret, stepAt(Date.now() / 1000) + later);

/** A person with an app for one-time passwords and so many recovery codes. */
export async function personWithCodes({ services: { db, secrets } }: TestApp, count: number) {
  const person = await createPerson(db);
  const app = randomBytes(20);
  const values = { totp_secret: secrets.close(app, person.id), totp_enabled_at: new Date() };
  await db.updateTable('people').set(values).where('id', '=', person.id).execute();
  const codes = Array.from({ length: count }, (_, n) => `aaaaa-bbbb${n + 2}`);
  const hashes = await Promise.all(codes.map((code) => hashCode(person.id, normaliseCode(code))));
  await db.transaction().execute((tx) => replaceCodes(tx, person.id, hashes));
  return { person, codes, appCode: () => appCodeOf(app) };
}

/** Adds a passkey to the person who is signed in. */
export async function passkeyOf(browser: Browser): Promise<SoftwarePasskey> {
  const passkey = new SoftwarePasskey(ORIGIN);
  const { challenge_id, options } = (await browser.post('/me/passkeys/options')).json();
  await browser.post('/me/passkeys', { challenge_id, name: 'Test', response: passkey.register(options) });
  return passkey;
}

/** A passkey of which nobody has the private half: it can be asked for, and not be used. */
export async function givePasskey(db: Db, personId: string): Promise<void> {
  await db
    .insertInto('passkeys')
    .values({
      id: newId('passkey'),
      person_id: personId,
      name: 'Lost phone',
      credential_id: randomBytes(16).toString('base64url'),
      public_key: randomBytes(77),
      counter: 0,
      transports: [],
      last_used_at: null,
    })
    .execute();
}
