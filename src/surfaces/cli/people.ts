/** `hostplane admin people`: the people who sign in to the portal. */
import type { Command } from 'commander';
import { endSessions } from '../../portal-api/people/sessions/sessions.ts';
import {
  listPeople,
  type PersonView,
  resetSecondFactor,
  sendRecoveryLink,
  showPerson,
} from '../../portal-api/people/staff.ts';
import { createWelcomeLink } from '../../portal-api/people/welcome.ts';
import { portalOriginOf } from '../../provider/portal-address.ts';
import { chooseAccount, chooseMember } from './choice.ts';
import type { Cli, Desk } from './command.ts';
import { Refusal } from './refusal.ts';
import { facts, table } from './table.ts';

const WHO = 'id or e-mail address';

async function choosePerson({ db }: Desk, named: string): Promise<PersonView> {
  const found = await listPeople(db, named, 20);
  const wanted = named.toLowerCase();
  const person = found.find(({ id, email }) => id === named || email.toLowerCase() === wanted);
  if (person !== undefined) return person;
  throw new Refusal(`Nobody has the id or the e-mail address "${named}". See: hostplane admin people list`);
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export function addPeople(program: Command, cli: Cli): void {
  const people = program.command('people').description('people who sign in to the portal');

  people
    .command('list')
    .description('everybody who can sign in, or those whose e-mail address contains a text')
    .argument('[search]', 'a part of the e-mail address')
    .action(
      cli.atDesk(async ({ db }, _, args) => {
        const found = await listPeople(db, args[0]);
        const rows = found.map(({ id, name, email, created_at: since }) => ({ id, name, email, since }));
        return { json: found, text: table(rows, 'Nobody can sign in yet.') };
      }),
    );

  people
    .command('show')
    .description('the accounts of a person, what the person signs in with, and the sessions')
    .argument('<person>', WHO)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const person = await showPerson(desk.db, await choosePerson(desk, args[0] ?? ''));
        const { security, accounts } = person;
        const text = facts({
          id: person.id,
          name: person.name,
          email: person.email,
          since: person.created_at,
          accounts: accounts.map(
            ({ account_name, account_id, role }) => `${account_name} (${account_id}), ${role}`,
          ),
          password: security.password_set,
          'one-time password app': security.totp.enabled,
          passkeys: security.passkeys.map(({ name }) => name),
          'recovery codes left': security.recovery_codes.left,
          sessions: security.sessions.map(
            ({ address, user_agent, last_seen_at }) =>
              `${last_seen_at.toISOString()} ${address} ${user_agent}`,
          ),
        });
        return { json: person, text };
      }),
    );

  people
    .command('reset-second-factor')
    .description('remove the app, the passkeys and the recovery codes of a person who has lost them')
    .argument('<person>', WHO)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const person = await choosePerson(desk, args[0] ?? '');
        await desk.confirm(
          `Make sure that it is really ${person.name} who asks. From now on the password alone opens all accounts of ${person.email}.`,
        );
        const origin = portalOriginOf(desk.config);
        const reset = await resetSecondFactor(desk.db, desk.actor, person.id, origin);
        const text = facts({ person: person.email, 'sessions ended': reset.sessions_ended });
        return { json: { person_id: person.id, ...reset }, text };
      }),
    );

  people
    .command('welcome-link')
    .description('a link by which a member signs in for the first time; it works once, for an hour')
    .argument('<member>', WHO)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const account = await chooseAccount(desk);
        const member = await chooseMember(desk, account.id, args[0] ?? '');
        const link = await createWelcomeLink(desk.db, portalOriginOf(desk.config), member);
        return { json: { link }, text: facts({ member: member.email, link }) };
      }),
    );

  people
    .command('recovery-link')
    .description('send a person the mail with a link to choose a new password')
    .argument('<person>', WHO)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const person = await choosePerson(desk, args[0] ?? '');
        await sendRecoveryLink(desk.db, person.id, portalOriginOf(desk.config));
        const text = facts({ person: person.email, sent: 'a link that works once, for 30 minutes' });
        return { json: { person_id: person.id }, text };
      }),
    );

  people
    .command('end-sessions')
    .description('sign a person out everywhere')
    .argument('<person>', WHO)
    .action(
      cli.atDesk(async (desk, _, args) => {
        const person = await choosePerson(desk, args[0] ?? '');
        const ended = await endSessions(desk.db, null, person.id, null);
        return { json: { ended }, text: `${person.email}: ${plural(ended, 'session')} ended.\n` };
      }),
    );
}
