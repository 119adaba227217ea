/** A signed-in person shows again that it is the same person: by password or by a code of the app. */
import { invalid, Problem } from '../../kernel/problems/problem.ts';
import { transact } from '../../store/transaction.ts';
import { countGuess } from './attempts/guesses.ts';
import { logGuess, logPerson } from './log/log.ts';
import { verifyPassword } from './passwords/hashing.ts';
import type { PeopleServices, RequestContext } from './request-context.ts';
import { type CodeCheck, prepareCode } from './second-factor.ts';
import { type FoundSession, type Renewed, renewSession } from './sessions/sessions.ts';
import { signInFailed, wrongCode } from './sign-in.ts';
import { findPerson } from './store.ts';

const wrongPassword = (): Problem =>
  new Problem('sign_in_failed', {
    detail: 'The password is wrong.',
    nextStep: 'Type it again, or use a passkey.',
  });

export async function reauthenticate(
  services: PeopleServices,
  context: RequestContext,
  session: FoundSession,
  { password, code }: { readonly password?: string; readonly code?: string },
): Promise<Renewed> {
  const { db } = services;
  if ((password === undefined) === (code === undefined)) {
    const detail = 'Send your password, or a code of your app.';
    throw invalid([{ pointer: '/password', code: 'required', detail }]);
  }
  const person = await findPerson(db, session.person.id);
  if (person === undefined) throw signInFailed();
  const guess = await countGuess(db, context, person.email);
  const method = code === undefined ? 'password' : 'totp';
  const check: CodeCheck =
    code === undefined
      ? await verifyPassword(person.password_hash, password ?? '').then((isRight) => async () => isRight)
      : await prepareCode(services, context, person, 'totp', code);
  const renewed = await transact(db, async (tx) => {
    if (!(await check(tx))) {
      await logGuess(tx, context, person.id, method);
      return null;
    }
    await guess.forget(tx);
    await logPerson(tx, context, person.id, 'reauthenticated', { method });
    return renewSession(tx, session.id, {
      reauthenticated: true,
      ...(method === 'totp' ? { secondFactor: true } : {}),
    });
  });
  if (renewed !== null) return renewed;
  throw method === 'totp' ? wrongCode() : wrongPassword();
}
