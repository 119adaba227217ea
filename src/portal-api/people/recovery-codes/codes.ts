/** Recovery codes: ten codes of 50 random bits, each for one sign-in without the second factor. */
import { randomBytes } from 'node:crypto';
import { sendMail } from '../../../mail/outbox.ts';
import { transact } from '../../../store/transaction.ts';
import { logPerson } from '../log/log.ts';
import { hashCode } from '../passwords/hashing.ts';
import { changeData } from '../sessions/sessions.ts';
import type { PersonRow } from '../store.ts';
import type { PeopleServices, Visit } from '../visit.ts';
import { replaceCodes } from './store.ts';

const COUNT = 10;
/** 32 letters, so ten of them are 50 bits. `i`, `l`, `o` and `1` are left out, because people mix them up. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';
const LENGTH = 10;

function newCode(): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte & 31]).join('');
  return `${letters.slice(0, 5)}-${letters.slice(5)}`;
}

/** People type codes with spaces, without the hyphen and in capitals. */
export const normaliseCode = (code: string): string =>
  code
    .toLowerCase()
    .replaceAll('o', '0')
    .replaceAll(/[^a-z0-9]/g, '');

/** Replaces all codes of the person. The new ones are shown once. */
export async function createRecoveryCodes(
  { db }: PeopleServices,
  visit: Visit,
  person: Pick<PersonRow, 'id' | 'name' | 'email'>,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  const hashes: Buffer[] = [];
  for (const code of codes) hashes.push(await hashCode(person.id, normaliseCode(code)));
  await transact(db, async (tx) => {
    await replaceCodes(tx, person.id, hashes);
    await logPerson(tx, visit, person.id, 'recovery_codes_replaced');
    await sendMail(tx, {
      to: person.email,
      template: 'second_factor_changed',
      data: { ...changeData(visit, person), change: 'recovery_codes_replaced' },
    });
  });
  return codes;
}
