import { Secret, Shape, Type } from '../../../kernel/schema.ts';
import { Line } from '../../../portal-api/input.ts';
import {
  addPasskey,
  changePassword,
  confirmTotp,
  offerPasskey,
  removePasskey,
  removeTotp,
  startTotp,
} from '../../../portal-api/people/factors.ts';
import type { RegistrationResponseJSON } from '../../../portal-api/people/passkeys/ceremony.ts';
import { NewPassword } from '../../../portal-api/people/passwords/rules.ts';
import { createRecoveryCodes } from '../../../portal-api/people/recovery-codes/codes.ts';
import { Code } from '../../../portal-api/people/second-factor.ts';
import { showSecurity } from '../../../portal-api/people/security.ts';
import { endSession, endSessions } from '../../../portal-api/people/sessions/sessions.ts';
import { act } from '../act.ts';
import { Security } from '../answers.ts';
import { Done, done, Nothing, Text } from '../shapes.ts';
import { Challenge, Token } from './sign-in.ts';

const Registration = Type.Unsafe<RegistrationResponseJSON>({
  type: 'object',
  required: ['id', 'response'],
  properties: { id: { type: 'string', maxLength: 2000 }, response: { type: 'object' } },
});

const credentialAct = { authority: 'person', reauthentication: true, audit: 'person' } as const;

export const securityActs = [
  act({
    id: 'getSecurity',
    method: 'GET',
    path: '/me/security',
    summary: 'See what you sign in with, and your sessions',
    input: Nothing,
    answer: Security,
    authority: 'person',
    reauthentication: false,
    audit: 'none',
    handle: ({ services, session }) => showSecurity(services.db, session.person.id, session.id),
  }),
  act({
    ...credentialAct,
    id: 'changePassword',
    method: 'POST',
    path: '/me/password',
    summary: 'Choose a new password',
    input: Shape({ new_password: NewPassword }),
    answer: Done,
    async handle({ services, context, session }, { new_password }) {
      await changePassword(services, context, session, new_password);
      return done;
    },
  }),
  act({
    ...credentialAct,
    id: 'startTotp',
    method: 'POST',
    path: '/me/totp/start',
    summary: 'Begin to set up an app for one-time passwords',
    input: Nothing,
    answer: Shape({ secret: Secret(Text), uri: Secret(Text) }),
    audit: 'none',
    handle: ({ services, session }) => startTotp(services, session),
  }),
  act({
    ...credentialAct,
    id: 'confirmTotp',
    method: 'POST',
    path: '/me/totp',
    summary: 'Enter the first code of an app',
    input: Shape({ code: Code }),
    answer: Done,
    givesSession: true,
    async handle({ services, context, session, keepToken }, { code }) {
      keepToken((await confirmTotp(services, context, session, code)).token);
      return done;
    },
  }),
  act({
    ...credentialAct,
    id: 'removeTotp',
    method: 'DELETE',
    path: '/me/totp',
    summary: 'Remove the app for one-time passwords',
    input: Nothing,
    answer: Done,
    async handle({ services, context, session }) {
      await removeTotp(services, context, session);
      return done;
    },
  }),
  act({
    ...credentialAct,
    id: 'offerPasskey',
    method: 'POST',
    path: '/me/passkeys/options',
    summary: 'Begin to add a passkey',
    input: Nothing,
    answer: Challenge,
    audit: 'none',
    async handle({ services, context, session }) {
      const { challenge_id, options } = await offerPasskey(services, context, session);
      return { challenge_id, options: options as Record<string, unknown> };
    },
  }),
  act({
    ...credentialAct,
    id: 'addPasskey',
    method: 'POST',
    path: '/me/passkeys',
    summary: 'Add a passkey',
    input: Shape({ challenge_id: Token, name: Line(1, 64), response: Registration }),
    answer: Shape({ id: Text }),
    status: 201,
    givesSession: true,
    async handle({ services, context, session, keepToken }, input) {
      const { token, passkeyId } = await addPasskey(services, context, session, input);
      keepToken(token);
      return { id: passkeyId };
    },
  }),
  act({
    ...credentialAct,
    id: 'removePasskey',
    method: 'DELETE',
    path: '/me/passkeys/{passkey_id}',
    summary: 'Remove a passkey',
    input: Nothing,
    answer: Done,
    async handle({ services, context, session, params }) {
      await removePasskey(services, context, session, params['passkey_id'] ?? '');
      return done;
    },
  }),
  act({
    ...credentialAct,
    id: 'createRecoveryCodes',
    method: 'POST',
    path: '/me/recovery-codes',
    summary: 'Create new recovery codes; the old ones end',
    input: Nothing,
    answer: Shape({ codes: Secret(Type.Array(Text)) }),
    async handle({ services, context, session }) {
      return { codes: await createRecoveryCodes(services, context, session.person) };
    },
  }),
  act({
    id: 'endSession',
    method: 'DELETE',
    path: '/me/sessions/{session_id}',
    summary: 'End one of your sessions',
    input: Nothing,
    answer: Done,
    authority: 'person',
    reauthentication: false,
    audit: 'person',
    async handle({ services, context, session, params, keepToken }) {
      const id = params['session_id'] ?? '';
      await endSession(services.db, context, session.person.id, id);
      if (id === session.id) keepToken(null);
      return done;
    },
  }),
  act({
    id: 'endOtherSessions',
    method: 'POST',
    path: '/me/sessions/end-others',
    summary: 'End all your sessions but this one',
    input: Nothing,
    answer: Shape({ ended: Type.Integer() }),
    authority: 'person',
    reauthentication: false,
    audit: 'person',
    handle: async ({ services, context, session }) => ({
      ended: await endSessions(services.db, context, session.person.id, session.id),
    }),
  }),
];
