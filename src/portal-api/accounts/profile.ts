/** What owners and admins say about their account. The provider sets its country, currency and products. */
import { changesBetween } from '../../kernel/audit/changes.ts';
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check, Email, Line } from '../input.ts';
import { change } from '../portal-write.ts';
import { type AccountRow, updateAccount } from './store.ts';
import { isTimezone, TIMEZONE_FAULT } from './timezone.ts';

const Addresses = Type.Array(Email, { maxItems: 10, uniqueItems: true });

/** Whom the provider writes to, by topic. */
export const Contacts = Shape({ technical: Addresses, abuse: Addresses, security: Addresses });

export const ProfileMembers = {
  name: Type.Optional(Line(1, 100)),
  timezone: Type.Optional(Line(1, 64)),
  contacts: Type.Optional(Contacts),
};

const ChangeProfile = Shape({ account_id: Type.String(), ...ProfileMembers });
export type ChangeProfile = Static<typeof ChangeProfile>;

export async function changeAccountProfile(db: Db, actor: Actor, input: ChangeProfile): Promise<AccountRow> {
  return change(db, actor, 'changeAccountProfile', input.account_id, async (tx, account) => {
    check(ChangeProfile, input, ({ timezone }) =>
      timezone === undefined || isTimezone(timezone) ? [] : [TIMEZONE_FAULT],
    );
    await authorise(tx, actor, account.id, 'admin');
    const { account_id: _, ...after } = input;
    const resource = { type: 'account', id: account.id, name: after.name ?? account.name };
    const changes = changesBetween<AccountRow>(account, after);
    if (changes.length === 0) return { result: account, resource, changes };
    return { result: await updateAccount(tx, account.id, after), resource, changes };
  });
}
