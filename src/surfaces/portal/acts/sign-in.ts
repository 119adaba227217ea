/** Acts by which people sign in, show that they are still there, and sign out. */
import { Nullable, OneOf, Secret, Shape, Time, Type } from '../../../kernel/schema.ts';
import { Email } from '../../../portal-api/input.ts';
import type { AuthenticationResponseJSON } from '../../../portal-api/people/passkeys/ceremony.ts';
import {
  offerReauthentication,
  offerSignIn,
  reauthenticateWithPasskey,
  signInWithPasskey,
} from '../../../portal-api/people/passkeys/sign-in.ts';
import { Password } from '../../../portal-api/people/passwords/rules.ts';
import { reauthenticate } from '../../../portal-api/people/reauthentication.ts';
import { Code, CodeMethodShape } from '../../../portal-api/people/second-factor.ts';
import { type SignedIn, signOut } from '../../../portal-api/people/sessions/sessions.ts';
import { completeSecondFactor, signIn } from '../../../portal-api/people/sign-in.ts';
import { act, type VisitorCall } from '../act.ts';
import { Anything, Done, done, Nothing, SignedInShape } from '../shapes.ts';

export const Token = Type.String({ minLength: 1, maxLength: 200 });
const Credential = Type.Unsafe<AuthenticationResponseJSON>({
  type: 'object',
  required: ['id', 'response'],
  properties: { id: { type: 'string', maxLength: 2000 }, response: { type: 'object' } },
});
const PasskeyAnswer = Shape({ challenge_id: Token, response: Credential });
export const Challenge = Shape({ challenge_id: Secret(Type.String()), options: Anything });
const Reauthenticated = Shape({ reauthenticated_until: Nullable(Time) });

type WithoutToken<T> = T extends unknown ? Omit<T, 'token'> : never;

/** The session that the browser had before ends, so that no session is left that nobody knows of. */
export async function beginSession<T extends { readonly status: string }>(
  call: VisitorCall,
  started: T & Partial<Pick<SignedIn, 'token'>>,
): Promise<WithoutToken<T>> {
  const { token, ...rest } = started;
  const answer = rest as WithoutToken<T>;
  if (token === undefined) return answer;
  if (call.session !== null) await signOut(call.services.db, call.context, call.session);
  call.keepToken(token);
  return answer;
}

const asJson = (options: object) => options as Record<string, unknown>;

export const signInActs = [
  act({
    id: 'signIn',
    method: 'POST',
    path: '/sign-in',
    summary: 'Sign in with e-mail address and password',
    input: Shape({ email: Email, password: Password }),
    answer: Type.Union([
      SignedInShape,
      Shape({
        status: OneOf(['second_factor']),
        ticket: Secret(Type.String()),
        methods: Type.Array(OneOf(['totp', 'passkey', 'recovery_code'])),
      }),
    ]),
    authority: 'none',
    reauthentication: false,
    audit: 'person',
    givesSession: true,
    handle: async (call, input) => beginSession(call, await signIn(call.services, call.context, input)),
  }),
  act({
    id: 'completeSecondFactor',
    method: 'POST',
    path: '/sign-in/second-factor',
    summary: 'Enter the code of an app, or a recovery code',
    input: Shape({ ticket: Token, method: CodeMethodShape, code: Code }),
    answer: SignedInShape,
    authority: 'none',
    reauthentication: false,
    audit: 'person',
    givesSession: true,
    handle: async (call, input) =>
      beginSession(call, await completeSecondFactor(call.services, call.context, input)),
  }),
  act({
    id: 'offerPasskeySignIn',
    method: 'POST',
    path: '/sign-in/passkey/options',
    summary: 'Begin to sign in with a passkey',
    input: Shape({ ticket: Type.Optional(Token) }),
    answer: Challenge,
    authority: 'none',
    reauthentication: false,
    audit: 'none',
    async handle({ services, context }, { ticket }) {
      const { challenge_id, options } = await offerSignIn(services, context, ticket);
      return { challenge_id, options: asJson(options) };
    },
  }),
  act({
    id: 'signInWithPasskey',
    method: 'POST',
    path: '/sign-in/passkey',
    summary: 'Sign in with a passkey',
    input: PasskeyAnswer,
    answer: SignedInShape,
    authority: 'none',
    reauthentication: false,
    audit: 'person',
    givesSession: true,
    handle: async (call, input) =>
      beginSession(call, await signInWithPasskey(call.services, call.context, input)),
  }),
  act({
    id: 'signOut',
    method: 'POST',
    path: '/sign-out',
    summary: 'Sign out',
    input: Nothing,
    answer: Done,
    authority: 'person',
    reauthentication: false,
    audit: 'person',
    async handle({ services, context, session, keepToken }) {
      await signOut(services.db, context, session);
      keepToken(null);
      return done;
    },
  }),
  act({
    id: 'reauthenticate',
    method: 'POST',
    path: '/reauthenticate',
    summary: 'Enter the password, or a code of the app, again',
    input: Shape({ password: Type.Optional(Password), code: Type.Optional(Code) }),
    answer: Reauthenticated,
    authority: 'person',
    reauthentication: false,
    audit: 'person',
    givesSession: true,
    async handle({ services, context, session, keepToken }, input) {
      const { token, reauthenticatedUntil } = await reauthenticate(services, context, session, input);
      keepToken(token);
      return { reauthenticated_until: reauthenticatedUntil };
    },
  }),
  act({
    id: 'offerPasskeyReauthentication',
    method: 'POST',
    path: '/reauthenticate/passkey/options',
    summary: 'Begin to use a passkey again',
    input: Nothing,
    answer: Challenge,
    authority: 'person',
    reauthentication: false,
    audit: 'none',
    async handle({ services, context, session }) {
      const { challenge_id, options } = await offerReauthentication(services, context, session.person.id);
      return { challenge_id, options: asJson(options) };
    },
  }),
  act({
    id: 'reauthenticateWithPasskey',
    method: 'POST',
    path: '/reauthenticate/passkey',
    summary: 'Use a passkey again',
    input: PasskeyAnswer,
    answer: Reauthenticated,
    authority: 'person',
    reauthentication: false,
    audit: 'person',
    givesSession: true,
    async handle({ services, context, session, keepToken }, input) {
      const renewed = await reauthenticateWithPasskey(services, context, session, input);
      keepToken(renewed.token);
      return { reauthenticated_until: renewed.reauthenticatedUntil };
    },
  }),
];
