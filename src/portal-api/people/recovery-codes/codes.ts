/** Recovery codes: ten codes of 50 random bits, each for one sign-in without the second factor. */
import { sendMail } from '../../../mail/outbox.ts';
import { transact } from '../../../store/transaction.ts';
import { logPerson } from '../log/log.ts';
import { hashCode } from '../passwords/hashing.ts';
import type { PeopleServices, RequestContext } from '../request-context.ts';
import { changeData } from '../sessions/sessions.ts';
import type { PersonRow } from '../store.ts';
import { newCode, normaliseCode } from '../typed-codes.ts';
import { replaceCodes } from './store.ts';

const COUNT = 10;
const LETTERS = 10;

/** Replaces all codes of the person. The new ones are shown once. */
export async function createRecoveryCodes(
  { db }: PeopleServices,
  context: RequestContext,
  person: Pick<PersonRow, 'id' | 'name' | 'email'>,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, () => newCode(LETTERS));
  const hashes: Buffer[] = [];
  for (const code of codes) hashes.push(await hashCode(person.id, normaliseCode(code)));
  await transact(db, async (tx) => {
    await replaceCodes(tx, person.id, hashes);
    await logPerson(tx, context, person.id, 'recovery_codes_replaced');
    await sendMail(tx, {
      to: person.email,
      template: 'second_factor_changed',
      data: { ...changeData(context, person), change: 'recovery_codes_replaced' },
    });
  });
  return codes;
}
