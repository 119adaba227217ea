/** What the provider's staff may do for people at the command line. Staff never signs in as somebody else. */
import { append } from '../../kernel/audit/store.ts';
import { sendMail } from '../../mail/outbox.ts';
import type { Db } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import type { Actor } from '../actor.ts';
import { notFound, succeeded } from '../portal-write.ts';
import { removeSecondFactor } from './factors.ts';
import { logPerson } from './log/log.ts';
import { mailRecovery } from './recovery.ts';
import { pageLink } from './request-context.ts';
import { showSecurity } from './security.ts';
import { deleteSessions } from './sessions/store.ts';
import { findMemberships, findPeople, lockPerson, type Membership, type PersonRow } from './store.ts';

/** Without what the person signs in with. */
const viewPerson = ({ id, name, email, created_at }: PersonRow) => ({ id, name, email, created_at });
export type PersonView = ReturnType<typeof viewPerson>;

/** Oldest first. `search` is an id, or a part of an e-mail address. */
export async function listPeople(db: Db, search?: string, limit = 1000): Promise<PersonView[]> {
  return (await findPeople(db, search, limit)).map(viewPerson);
}

export interface PersonDetails extends PersonView {
  readonly accounts: readonly Membership[];
  readonly security: Awaited<ReturnType<typeof showSecurity>>;
}

export async function showPerson(db: Db, person: PersonView): Promise<PersonDetails> {
  const accounts = await findMemberships(db, person.id);
  return { ...person, accounts, security: await showSecurity(db, person.id, null) };
}

/**
 * For a person who has lost app, passkeys and recovery codes. All sessions end. The owners of the accounts see it in
 * their audit logs.
 */
export async function resetSecondFactor(
  db: Db,
  actor: Actor,
  personId: string,
  origin: string,
): Promise<{ sessions_ended: number }> {
  return transact(db, async (tx) => {
    const person = await lockPerson(tx, personId);
    if (person === undefined) throw notFound('person', personId);
    const change = person.totp_enabled_at === null ? 'passkey_removed' : 'totp_removed';
    await removeSecondFactor(tx, personId);
    const sessions_ended = await deleteSessions(tx, personId, null);
    await logPerson(tx, null, personId, 'second_factor_reset', { by: actor.kind });
    await sendMail(tx, {
      to: person.email,
      template: 'second_factor_changed',
      data: {
        name: person.name,
        at: new Date(),
        address: 'your provider',
        link: pageLink(origin, '/me/security'),
        change,
      },
    });
    // In a fixed order: two transactions that lock the chains of the same accounts must not wait for each other.
    const accounts = (await findMemberships(tx, personId)).sort((a, b) =>
      a.account_id < b.account_id ? -1 : 1,
    );
    for (const { account_id, member_id: id, member_name: name } of accounts) {
      const resource = { type: 'member', id, name };
      const changes = [{ pointer: '/mfa_enabled', before: null, after: false }];
      await append(
        tx,
        account_id,
        succeeded(actor, 'resetSecondFactor', { result: null, resource, changes }),
      );
    }
    return { sessions_ended };
  });
}

/** Mails the link to the person: staff does not see it. */
export async function sendRecoveryLink(db: Db, personId: string, origin: string): Promise<void> {
  await transact(db, async (tx) => {
    const person = await lockPerson(tx, personId);
    if (person === undefined) throw notFound('person', personId);
    await mailRecovery(tx, { origin }, person);
  });
}
