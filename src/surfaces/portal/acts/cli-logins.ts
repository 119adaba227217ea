/** Acts by which a command line gets a key: a person allows it in the browser, and the command line fetches the key. */
import { Secret, Shape, Time } from '../../../kernel/schema.ts';
import {
  allowCliLogin,
  Challenge,
  completeCliLogin,
  Exchange,
} from '../../../portal-api/cli-logins/grant.ts';
import { Line } from '../../../portal-api/input.ts';
import { act } from '../act.ts';
import { WithSecret } from '../answers.ts';
import { Text } from '../shapes.ts';
import { NewKeyMembers, renamed, rulesOf } from './keys.ts';

export const cliLoginActs = [
  act({
    id: 'allowCliLogin',
    method: 'POST',
    path: '/accounts/{account_id}/cli-logins',
    summary: 'Allow a command line to get an API key',
    input: Shape({ challenge: Challenge, computer: Line(1, 64), ...NewKeyMembers }),
    answer: Shape({ code: Secret(Text), expires_at: Time }),
    status: 201,
    authority: 'reader',
    reauthentication: true,
    audit: 'account',
    handle: ({ services, actor, session, accountId }, { challenge, computer, ...chosen }) => {
      const key = { account_id: accountId, ...chosen };
      return allowCliLogin(
        services.db,
        actor,
        session,
        { challenge, computer, key },
        rulesOf(services),
      ).catch((error: unknown) => {
        throw renamed(error, '/notes', '/computer');
      });
    },
  }),
  act({
    id: 'completeCliLogin',
    method: 'POST',
    path: '/cli-logins/complete',
    summary: 'Get the API key that a person has allowed',
    input: Exchange,
    answer: WithSecret,
    status: 201,
    authority: 'none',
    reauthentication: false,
    audit: 'account',
    handle: ({ services, context }, input) =>
      completeCliLogin(services.db, context, input, rulesOf(services)),
  }),
];
