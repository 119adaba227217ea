/**
 * Recovery of a forgotten password by a link in a mail. It ends all sessions. It still wants the second factor; a
 * person who has lost that as well waits for a day, in which the owner of the sign-in is told and can stop it.
 */
import { sendMail } from '../../mail/outbox.ts';
import { requestMail } from '../../mail/requests.ts';
import type { Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { countGuess } from './attempts/guesses.ts';
import { removeSecondFactor } from './factors.ts';
import { logGuess, logPerson } from './log/log.ts';
import { hashPassword } from './passwords/hashing.ts';
import { requireGoodPassword } from './passwords/rules.ts';
import { type PeopleServices, pageLink, type RequestContext } from './request-context.ts';
import { type CodeCheck, type CodeMethod, factorMethods, prepareCode } from './second-factor.ts';
import { changeData, type SignedIn, startSession } from './sessions/sessions.ts';
import { deleteSessions } from './sessions/store.ts';
import { wrongCode } from './sign-in.ts';
import type { MailSent } from './sign-up.ts';
import { findPerson, findPersonByEmail, lockPerson, markPasswordChanged, type PersonRow } from './store.ts';
import {
  countWrongCode,
  findToken,
  makeWait,
  markUsed,
  revokeTokens,
  type TokenRow,
} from './tokens/store.ts';
import { createToken, hashOf, linkNotValid, requireToken } from './tokens/tokens.ts';

const MINUTES = 30;
const WAIT_HOURS = 24;
const MOST_WRONG_CODES = 5;

declare module '../../mail/requests.ts' {
  interface MailRequests {
    recovery_requested: { readonly origin: string };
  }
}

/** The same work, and so the same time, for a known and for an unknown address: a worker looks it up. */
export async function requestRecovery(
  { db }: PeopleServices,
  context: RequestContext,
  email: string,
): Promise<MailSent> {
  await countGuess(db, context, null);
  const data = { origin: context.origin };
  await transact(db, (tx) => requestMail(tx, { to: email, name: 'recovery_requested', data }));
  return { status: 'mail_sent' };
}

export async function composeRecovery(
  tx: Tx,
  to: string,
  place: Pick<RequestContext, 'origin'>,
): Promise<void> {
  const person = await findPersonByEmail(tx, to);
  const link = pageLink(place.origin, '/');
  if (person === undefined) await sendMail(tx, { to, template: 'recovery_unknown', data: { link } });
  else await mailRecovery(tx, place, person);
}

/** Returns the link. `context` is where the link leads; the provider's staff can ask for it too. */
export async function mailRecovery(
  tx: Tx,
  { origin }: Pick<RequestContext, 'origin'>,
  person: PersonRow,
): Promise<string> {
  const { token, expiresAt } = await createToken(tx, {
    purpose: 'recover',
    personId: person.id,
    minutes: MINUTES,
  });
  const link = pageLink(origin, '/recover', token);
  await sendMail(tx, {
    to: person.email,
    template: 'recover_password',
    data: { name: person.name, link, expires_at: expiresAt.toISOString() },
  });
  return link;
}

export type RecoveryMethod = CodeMethod | 'wait';

export interface CompleteRecovery {
  readonly token: string;
  readonly password: string;
  readonly method?: RecoveryMethod;
  readonly code?: string;
}

export type Recovered =
  | SignedIn
  | { readonly status: 'second_factor_needed'; readonly methods: readonly RecoveryMethod[] }
  | { readonly status: 'waiting'; readonly until: Date };

async function beginToWait(
  tx: Tx,
  context: RequestContext,
  person: PersonRow,
  token: TokenRow,
): Promise<Recovered> {
  const until = await makeWait(tx, token.hash, WAIT_HOURS);
  await logPerson(tx, context, person.id, 'recovery_waits', { until: until.toISOString() });
  await sendMail(tx, {
    to: person.email,
    template: 'recovery_used',
    data: { ...changeData(context, person), waits_until: until.toISOString() },
  });
  return { status: 'waiting', until };
}

export async function completeRecovery(
  services: PeopleServices,
  context: RequestContext,
  input: CompleteRecovery,
): Promise<Recovered> {
  const { db } = services;
  const { method, code } = input;
  const found = await findToken(db, hashOf(input.token), 'recover');
  const known = await findPerson(db, found?.person_id ?? '');
  // Forged links are guesses, too.
  const guess = await countGuess(db, context, code === undefined ? null : (known?.email ?? null));
  if (known === undefined) throw linkNotValid();
  requireGoodPassword(input.password, [known.name, known.email]);
  const password_hash = await hashPassword(input.password);
  const check: CodeCheck | null =
    code === undefined || method === undefined || method === 'wait'
      ? null
      : await prepareCode(services, context, known, method, code);
  const outcome = await transact(db, async (tx): Promise<Recovered | null> => {
    const token = await requireToken(tx, input.token, 'recover');
    const person = await lockPerson(tx, known.id);
    if (person === undefined || token.wrong_codes >= MOST_WRONG_CODES) throw linkNotValid();
    if (token.is_waiting) return { status: 'waiting', until: token.usable_from };
    const hasWaited = 'waited' in (token.data as object);
    const methods = hasWaited ? [] : await factorMethods(tx, person);
    if (methods.length > 0) {
      if (method === 'wait') return beginToWait(tx, context, person, token);
      if (check === null) {
        const codes = methods.filter((each) => each !== 'passkey');
        return { status: 'second_factor_needed', methods: [...codes, 'wait'] };
      }
      if (!(await check(tx))) {
        await countWrongCode(tx, token.hash);
        await logGuess(tx, context, person.id, method ?? 'totp');
        return null;
      }
    }
    if (hasWaited) await removeSecondFactor(tx, person.id);
    await guess.forget(tx);
    await markUsed(tx, token.hash);
    await revokeTokens(tx, person.id, ['recover', 'second_factor', 'welcome']);
    await deleteSessions(tx, person.id, null);
    await markPasswordChanged(tx, person.id, password_hash);
    await logPerson(tx, context, person.id, 'recovered', { waited: hasWaited });
    await sendMail(tx, {
      to: person.email,
      template: 'recovery_used',
      data: { ...changeData(context, person), waits_until: null },
    });
    const secondFactor = methods.length > 0;
    return startSession(tx, context, person, { method: 'link', secondFactor, reauthenticated: true });
  });
  if (outcome !== null) return outcome;
  throw wrongCode();
}
