import { accountStatuses } from '../../../kernel/access/tables.ts';
import { OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { Contacts, changeAccountProfile, ProfileMembers } from '../../../portal-api/accounts/profile.ts';
import { setAccountStatus } from '../../../portal-api/accounts/status.ts';
import type { AccountRow } from '../../../portal-api/accounts/store.ts';
import { lockBudget, unlockBudget } from '../../../portal-api/budgets/budgets.ts';
import { act } from '../act.ts';
import { Text } from '../shapes.ts';

const PATH = '/accounts/{account_id}';

const Account = Shape({
  id: Text,
  name: Text,
  status: OneOf(accountStatuses),
  timezone: Text,
  contacts: Contacts,
});

const view = ({ id, name, status, timezone, contacts }: AccountRow) => ({
  id,
  name,
  status,
  timezone,
  contacts,
});

/** What a person does to the account itself, and the lock of a budget, which no key can open. */
export const accountActs = [
  act({
    id: 'changeAccountProfile',
    method: 'PATCH',
    path: `${PATH}/profile`,
    summary: 'Change the name, time zone and contacts of the account',
    input: Shape(ProfileMembers),
    answer: Account,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: async ({ services, actor, accountId }, input) =>
      view(await changeAccountProfile(services.db, actor, { account_id: accountId, ...input })),
  }),
  act({
    id: 'closeAccount',
    method: 'POST',
    path: `${PATH}/close`,
    summary: 'Begin to close the account',
    /** The name, typed again: this cannot be taken back by the person. */
    input: Shape({ name: Type.String({ maxLength: 100 }) }),
    answer: Account,
    authority: 'owner',
    reauthentication: true,
    audit: 'account',
    async handle({ services, actor, accountId }, { name }) {
      const input = { account_id: accountId, status: 'closing' } as const;
      return view(await setAccountStatus(services.db, actor, input, { typedName: name }));
    },
  }),
  act({
    id: 'setBudgetLock',
    method: 'PUT',
    path: `${PATH}/budgets/{budget_id}/lock`,
    summary: 'Lock a budget against API keys, or unlock it',
    input: Shape({ locked: Type.Boolean() }),
    answer: Shape({ id: Text, locked: Type.Boolean() }),
    authority: 'admin',
    reauthentication: { by: 'locked', safe: [true] },
    audit: 'account',
    async handle({ services, actor, accountId, params }, { locked }) {
      const set = locked ? lockBudget : unlockBudget;
      const input = { account_id: accountId, budget: params['budget_id'] ?? '' };
      const { id } = await set(services.db, actor, input);
      return { id, locked };
    },
  }),
];
