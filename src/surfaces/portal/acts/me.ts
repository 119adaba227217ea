import { Id, OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { Line } from '../../../portal-api/input.ts';
import { listActivity } from '../../../portal-api/people/log/log.ts';
import { listMemberships } from '../../../portal-api/people/memberships.ts';
import { changeProfile } from '../../../portal-api/people/profile.ts';
import { listWaysIn } from '../../../portal-api/people/security.ts';
import { themes } from '../../../portal-api/people/tables.ts';
import { act, type PersonCall } from '../act.ts';
import { Happenings, Me } from '../answers.ts';
import { Nothing } from '../shapes.ts';

async function showMe({ services, session }: PersonCall, person = session.person) {
  const found = await listMemberships(services.db, person.id);
  const accounts = found.map((each) => ({
    id: each.account_id,
    name: each.account_name,
    status: each.account_status,
    role: each.role,
    member_id: each.member_id,
    mfa_required: each.mfa_required,
  }));
  const { id, created_at, expires_at, reauthenticated_until, second_factor } = session;
  const { name, email, theme } = person;
  const ways = await listWaysIn(services.db, person.id);
  return {
    person: { id: person.id, name, email, theme, ...ways },
    session: { id, created_at, expires_at, reauthenticated_until, second_factor },
    accounts,
    needs_second_factor: !second_factor && accounts.some(({ mfa_required }) => mfa_required),
  };
}

export const meActs = [
  act({
    id: 'getMe',
    method: 'GET',
    path: '/me',
    summary: 'See who is signed in, and the accounts of that person',
    input: Nothing,
    answer: Me,
    authority: 'person',
    reauthentication: false,
    audit: 'none',
    handle: (call) => showMe(call),
  }),
  act({
    id: 'changeMe',
    method: 'PATCH',
    path: '/me',
    summary: 'Change your name or the theme',
    input: Shape({ name: Type.Optional(Line(1, 100)), theme: Type.Optional(OneOf(themes)) }),
    answer: Me,
    authority: 'person',
    reauthentication: false,
    harmlessChoices: ['theme'],
    audit: 'person',
    async handle(call, input) {
      const { services, context, session } = call;
      return showMe(call, await changeProfile(services.db, context, session.person.id, input));
    },
  }),
  act({
    id: 'listActivity',
    method: 'GET',
    path: '/me/activity',
    summary: 'See your sign-ins and the changes to them',
    input: Shape({ cursor: Type.Optional(Id('pev')) }),
    answer: Happenings,
    authority: 'person',
    reauthentication: false,
    audit: 'none',
    async handle({ services, session }, { cursor = null }) {
      await services.guesses.flush();
      const { data, nextCursor } = await listActivity(services.db, session.person.id, cursor);
      return {
        data: data.map(({ id, type, occurred_at, last_at, count, client_ip, user_agent, data }) => ({
          id,
          type,
          occurred_at,
          last_at,
          count,
          client_ip,
          user_agent,
          data,
        })),
        next_cursor: nextCursor,
      };
    },
  }),
];
