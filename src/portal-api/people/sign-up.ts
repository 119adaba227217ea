/**
 * Sign-up: a mail with a link, and nothing else. The person and the account are created when the link is used, with
 * the name and the password that were typed for this very mail. So nobody can prepare a sign-in for a foreign address.
 */

import { newId } from '../../kernel/ids.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { Secret, Shape, type Static, Type } from '../../kernel/schema.ts';
import { sendMail } from '../../mail/outbox.ts';
import { requestMail } from '../../mail/requests.ts';
import type { Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { openAccount } from '../accounts/creation.ts';
import { check, Email, Line } from '../input.ts';
import { countGuess } from './attempts/guesses.ts';
import { logPerson } from './log/log.ts';
import { hashPassword } from './passwords/hashing.ts';
import { NewPassword, passwordFaults } from './passwords/rules.ts';
import { memberActor, type PeopleServices, pageLink, type RequestContext } from './request-context.ts';
import { type SignedIn, startSession } from './sessions/sessions.ts';
import { adoptMembers, findPersonByEmail, insertPerson, lockEmail } from './store.ts';
import { findPending, markUsed } from './tokens/store.ts';
import { createToken, DAY_MINUTES, linkNotValid, requireToken } from './tokens/tokens.ts';

export const SignUp = Shape({
  name: Line(1, 100),
  email: Email,
  password: NewPassword,
  account_name: Line(1, 100),
  country: Type.Unsafe<string>({ type: 'string', pattern: '^[A-Z]{2}$' }),
  terms_accepted: Type.Boolean(),
});
export type SignUp = Static<typeof SignUp>;

/** What a link of a sign-up holds until it is used. */
const Pending = Shape({
  name: Type.String(),
  password_hash: Secret(Type.String()),
  account_name: Type.String(),
  country: Type.String(),
});
type Pending = Static<typeof Pending>;

export interface MailSent {
  readonly status: 'mail_sent';
}
const mailSent: MailSent = { status: 'mail_sent' };

function checkSignUp(input: SignUp): void {
  check(SignUp, input, ({ password, name = '', email = '', terms_accepted }) => [
    ...(password === undefined ? [] : passwordFaults(password, [name, email])),
    ...(terms_accepted === false
      ? [{ pointer: '/terms_accepted', code: 'required' as const, detail: 'Accept the terms to sign up.' }]
      : []),
  ]);
}

type Place = Pick<RequestContext, 'origin'>;

declare module '../../mail/requests.ts' {
  interface MailRequests {
    sign_up_requested: Place & { readonly pending: Pending };
    verification_requested: Place;
  }
}

async function mailLink(tx: Tx, { origin }: Place, email: string, pending: Pending): Promise<void> {
  const { token, expiresAt } = await createToken(tx, {
    purpose: 'verify_email',
    email,
    data: pending,
    minutes: DAY_MINUTES,
  });
  await sendMail(tx, {
    to: email,
    template: 'verify_email',
    data: {
      name: pending.name,
      link: pageLink(origin, '/verify', token),
      expires_at: expiresAt.toISOString(),
    },
  });
}

/** The same work, and so the same time, for a known and for an unknown address: the mail tells the rest. */
export async function signUp(
  { db, provider }: PeopleServices,
  context: RequestContext,
  input: SignUp,
): Promise<MailSent> {
  if (provider.portal.sign_up !== 'open') throw new Problem('sign_up_not_open');
  checkSignUp(input);
  const { name, email, account_name, country } = input;
  await countGuess(db, context, null);
  const password_hash = await hashPassword(input.password);
  const pending = { name, password_hash, account_name, country };
  const data = { origin: context.origin, pending };
  await transact(db, (tx) => requestMail(tx, { to: email, name: 'sign_up_requested', data }));
  return mailSent;
}

export async function composeSignUp(
  tx: Tx,
  to: string,
  { origin, pending }: Place & { readonly pending: Pending },
): Promise<void> {
  await lockEmail(tx, to);
  const person = await findPersonByEmail(tx, to);
  if (person === undefined) return mailLink(tx, { origin }, to, pending);
  await sendMail(tx, {
    to: person.email,
    template: 'already_registered',
    data: { name: person.name, link: pageLink(origin, '/sign-in') },
  });
}

/** Sends the mail of the newest sign-up again, with a new link. */
export async function sendVerificationAgain(
  { db }: PeopleServices,
  context: RequestContext,
  email: string,
): Promise<MailSent> {
  await countGuess(db, context, null);
  const data = { origin: context.origin };
  await transact(db, (tx) => requestMail(tx, { to: email, name: 'verification_requested', data }));
  return mailSent;
}

/** No mail if nobody waits for one: the person has a sign-in, or never signed up. */
export async function composeVerification(tx: Tx, to: string, place: Place): Promise<void> {
  await lockEmail(tx, to);
  const pending = await findPending(tx, to, 'verify_email');
  if (pending !== undefined) await mailLink(tx, place, to, pending.data as Pending);
}

export async function verifyEmail(
  services: PeopleServices,
  context: RequestContext,
  token: string,
): Promise<SignedIn> {
  const { db, provider } = services;
  const guess = await countGuess(db, context, null);
  return transact(db, async (tx) => {
    const { hash, email, data } = await requireToken(tx, token, 'verify_email');
    if (email === null) throw linkNotValid();
    await lockEmail(tx, email);
    // An earlier link for the same address was used.
    if ((await findPersonByEmail(tx, email)) !== undefined) throw linkNotValid();
    await markUsed(tx, hash);
    await guess.forget(tx);
    const { name, password_hash, account_name, country } = data as Pending;
    const person = await insertPerson(tx, { id: newId('person'), name, email, password_hash });
    await adoptMembers(tx, person.id, email);
    const input = { name: account_name, country, owner_name: name, owner_email: email };
    await openAccount(tx, input, provider, {
      actorOf: (owner) => memberActor(context, owner),
      personId: person.id,
    });
    await logPerson(tx, context, person.id, 'signed_up');
    await sendMail(tx, {
      to: email,
      template: 'welcome',
      data: { name, account_name, link: pageLink(context.origin, '/') },
    });
    return startSession(tx, context, person, { method: 'link', secondFactor: false, reauthenticated: false });
  });
}
