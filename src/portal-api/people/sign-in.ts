/** Signs a person in by password and, if the person has one, a second factor. */
import { Problem } from '../../kernel/problems/problem.ts';
import type { Services } from '../../kernel/services.ts';
import { transact } from '../../store/transaction.ts';
import { countGuess } from './attempts/guesses.ts';
import { logGuess } from './log/log.ts';
import { verifyPassword } from './passwords/hashing.ts';
import type { PeopleServices, RequestContext } from './request-context.ts';
import { type CodeMethod, type FactorMethod, factorMethods, prepareCode } from './second-factor.ts';
import { type SignedIn, startSession } from './sessions/sessions.ts';
import { findPerson, findPersonByEmail, lockPerson, type PersonRow } from './store.ts';
import { countWrongCode, findToken, lockToken, markUsed, type TokenRow } from './tokens/store.ts';
import { createToken, hashOf } from './tokens/tokens.ts';

export interface NeedsSecondFactor {
  readonly status: 'second_factor';
  /** Stands for the right password; it survives wrong codes, but not many. */
  readonly ticket: string;
  readonly methods: readonly FactorMethod[];
}

const TICKET_MINUTES = 10;
const MOST_WRONG_CODES = 5;

/** One text for all causes, so that it does not tell which addresses have a sign-in. */
export const signInFailed = (): Problem => new Problem('sign_in_failed');

const ticketOver = (): Problem =>
  new Problem('sign_in_failed', {
    detail: 'This sign-in took too long, or too many wrong codes were entered.',
    nextStep: 'Sign in again with your e-mail address and password.',
  });

export async function signIn(
  { db, guesses }: PeopleServices & Pick<Services, 'guesses'>,
  context: RequestContext,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<SignedIn | NeedsSecondFactor> {
  const guess = await countGuess(db, context, email);
  const person = await findPersonByEmail(db, email);
  const isRight = await verifyPassword(person?.password_hash ?? null, password);
  if (person === undefined || !isRight) {
    if (person !== undefined) guesses.note(context, person.id, 'password');
    throw signInFailed();
  }
  return transact(db, async (tx) => {
    const now = await lockPerson(tx, person.id);
    // The password was changed while this one was checked.
    if (now === undefined || now.password_hash !== person.password_hash) throw signInFailed();
    await guess.forget(tx);
    const methods = await factorMethods(tx, now);
    if (methods.length === 0)
      return startSession(tx, context, now, {
        method: 'password',
        secondFactor: false,
        reauthenticated: true,
      });
    const { token } = await createToken(tx, {
      purpose: 'second_factor',
      personId: now.id,
      minutes: TICKET_MINUTES,
    });
    return { status: 'second_factor' as const, ticket: token, methods };
  });
}

/** The person that a ticket stands for. */
export async function personOfTicket(
  { db }: Pick<PeopleServices, 'db'>,
  ticket: string,
): Promise<{ readonly person: PersonRow; readonly token: TokenRow }> {
  const token = await findToken(db, hashOf(ticket), 'second_factor');
  const person = await findPerson(db, token?.person_id ?? '');
  if (token === undefined || person === undefined || token.wrong_codes >= MOST_WRONG_CODES)
    throw ticketOver();
  return { person, token };
}

export async function completeSecondFactor(
  services: PeopleServices,
  context: RequestContext,
  input: { readonly ticket: string; readonly method: CodeMethod; readonly code: string },
): Promise<SignedIn> {
  const { db } = services;
  const { person } = await personOfTicket(services, input.ticket);
  const guess = await countGuess(db, context, person.email);
  const check = await prepareCode(services, context, person, input.method, input.code);
  const outcome = await transact(db, async (tx) => {
    // First, as a change of the password does, which ends the ticket: in another order the two could block each other.
    await lockPerson(tx, person.id);
    const token = await lockToken(tx, hashOf(input.ticket), 'second_factor');
    if (token === undefined || token.wrong_codes >= MOST_WRONG_CODES) throw ticketOver();
    if (!(await check(tx))) {
      await countWrongCode(tx, token.hash);
      await logGuess(tx, context, person.id, input.method);
      return null;
    }
    await markUsed(tx, token.hash);
    await guess.forget(tx);
    return startSession(tx, context, person, {
      method: input.method,
      secondFactor: true,
      reauthenticated: true,
    });
  });
  if (outcome !== null) return outcome;
  throw wrongCode();
}

export const wrongCode = (): Problem =>
  new Problem('sign_in_failed', {
    detail: 'The code is wrong, or it was used before.',
    nextStep: 'Wait for the next code of your app, or use another recovery code.',
  });
