/** Acts by which people get a sign-in, or get it back: sign-up, verification, recovery and the welcome link. */
import { OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import { Email } from '../../../portal-api/input.ts';
import { NewPassword } from '../../../portal-api/people/passwords/rules.ts';
import { completeRecovery, requestRecovery } from '../../../portal-api/people/recovery.ts';
import { Code } from '../../../portal-api/people/second-factor.ts';
import { SignUp, sendVerificationAgain, signUp, verifyEmail } from '../../../portal-api/people/sign-up.ts';
import { acceptWelcome } from '../../../portal-api/people/welcome.ts';
import { act } from '../act.ts';
import { SignedInShape } from '../shapes.ts';
import { beginSession, Token } from './sign-in.ts';

const MailSent = Shape({ status: OneOf(['mail_sent']) });
const recoveryMethods = OneOf(['totp', 'recovery_code', 'wait']);

const visitorAct = { method: 'POST', authority: 'none', reauthentication: false } as const;

export const signUpActs = [
  act({
    ...visitorAct,
    id: 'signUp',
    path: '/sign-up',
    summary: 'Sign up for an account',
    input: SignUp,
    answer: MailSent,
    status: 202,
    audit: 'none',
    handle: ({ services, context }, input) => signUp(services, context, input),
  }),
  act({
    ...visitorAct,
    id: 'sendVerificationAgain',
    path: '/verify/again',
    summary: 'Send the mail of the sign-up again',
    input: Shape({ email: Email }),
    answer: MailSent,
    status: 202,
    audit: 'none',
    handle: ({ services, context }, { email }) => sendVerificationAgain(services, context, email),
  }),
  act({
    ...visitorAct,
    id: 'verifyEmail',
    path: '/verify',
    summary: 'Confirm the e-mail address of a sign-up',
    input: Shape({ token: Token }),
    answer: SignedInShape,
    audit: 'person',
    givesSession: true,
    handle: async (call, { token }) =>
      beginSession(call, await verifyEmail(call.services, call.context, token)),
  }),
  act({
    ...visitorAct,
    id: 'requestRecovery',
    path: '/recover',
    summary: 'Ask for a link to choose a new password',
    input: Shape({ email: Email }),
    answer: MailSent,
    status: 202,
    audit: 'none',
    handle: ({ services, context }, { email }) => requestRecovery(services, context, email),
  }),
  act({
    ...visitorAct,
    id: 'completeRecovery',
    path: '/recover/complete',
    summary: 'Choose a new password by a link',
    input: Shape({
      token: Token,
      password: NewPassword,
      method: Type.Optional(recoveryMethods),
      code: Type.Optional(Code),
    }),
    answer: Type.Union([
      SignedInShape,
      Shape({ status: OneOf(['second_factor_needed']), methods: Type.Array(recoveryMethods) }),
      Shape({ status: OneOf(['waiting']), until: Time }),
    ]),
    audit: 'person',
    givesSession: true,
    handle: async (call, input) =>
      beginSession(call, await completeRecovery(call.services, call.context, input)),
  }),
  act({
    ...visitorAct,
    id: 'acceptWelcome',
    path: '/welcome',
    summary: 'Sign in for the first time by a welcome link',
    input: Shape({ token: Token, password: Type.Optional(NewPassword) }),
    answer: SignedInShape,
    audit: 'person',
    givesSession: true,
    handle: async (call, input) =>
      beginSession(call, await acceptWelcome(call.services, call.context, input)),
  }),
];
