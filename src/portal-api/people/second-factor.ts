/** The second factor of a person: an app, a passkey or a recovery code. */
import { OneOf, Secret, Type } from '../../kernel/schema.ts';
import { sendMail } from '../../mail/outbox.ts';
import type { Db, Tx } from '../../store/database.ts';
import { findPasskeys } from './passkeys/store.ts';
import { hashCode } from './passwords/hashing.ts';
import { countCodes, takeCode } from './recovery-codes/store.ts';
import type { PeopleServices, RequestContext } from './request-context.ts';
import { changeData } from './sessions/sessions.ts';
import { type PersonRow, takeTotpStep } from './store.ts';
import { matchingStep } from './totp/totp.ts';
import { normaliseCode } from './typed-codes.ts';

export const codeMethods = ['totp', 'recovery_code'] as const;
export type CodeMethod = (typeof codeMethods)[number];
export const CodeMethodShape = OneOf(codeMethods);
export const Code = Secret(Type.String({ minLength: 1, maxLength: 64 }));

export type FactorMethod = CodeMethod | 'passkey';

/** How the person can show the second factor; empty if the person has none. */
export async function factorMethods(db: Db, person: PersonRow): Promise<FactorMethod[]> {
  const hasPasskey = (await findPasskeys(db, person.id)).length > 0;
  const factors: FactorMethod[] = [
    ...(person.totp_enabled_at === null ? [] : (['totp'] as const)),
    ...(hasPasskey ? (['passkey'] as const) : []),
  ];
  if (factors.length === 0) return [];
  return (await countCodes(db, person.id)) > 0 ? [...factors, 'recovery_code'] : factors;
}

/** Checks a code and uses it up: in the transaction of what it allows. */
export type CodeCheck = (tx: Tx) => Promise<boolean>;

/** Hashes a recovery code, which takes long, before the transaction begins. */
export async function prepareCode(
  { secrets }: PeopleServices,
  context: RequestContext,
  person: PersonRow,
  method: CodeMethod,
  code: string,
): Promise<CodeCheck> {
  if (method === 'totp') {
    const sealed = person.totp_secret;
    if (sealed === null || person.totp_enabled_at === null) return async () => false;
    const step = matchingStep(secrets.open(sealed, person.id), code.replaceAll(/\s/g, ''));
    return async (tx) => step !== null && (await takeTotpStep(tx, person, step));
  }
  const hash = await hashCode(person.id, normaliseCode(code));
  return async (tx) => {
    if (!(await takeCode(tx, person.id, hash))) return false;
    const left = await countCodes(tx, person.id);
    await sendMail(tx, {
      to: person.email,
      template: 'recovery_code_used',
      data: { ...changeData(context, person), left },
    });
    return true;
  };
}
