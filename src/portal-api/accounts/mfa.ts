import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check } from '../input.ts';
import { change } from '../portal-write.ts';
import { type AccountRow, updateAccount } from './store.ts';

const SetMfaRequired = Shape({ account_id: Type.String(), required: Type.Boolean() });
export type SetMfaRequired = Static<typeof SetMfaRequired>;

/** Sessions without a second factor cannot use the account from then on. API keys are not affected. */
export async function setMfaRequired(db: Db, actor: Actor, input: SetMfaRequired): Promise<AccountRow> {
  return change(db, actor, 'setMfaRequired', input.account_id, async (tx, account) => {
    check(SetMfaRequired, input);
    await authorise(tx, actor, account.id, 'owner');
    const { required } = input;
    const resource = { type: 'account', id: account.id, name: account.name };
    if (account.mfa_required === required) return { result: account, resource, changes: [] };
    const result = await updateAccount(tx, account.id, { mfa_required: required });
    return {
      result,
      resource,
      changes: [{ pointer: '/mfa_required', before: account.mfa_required, after: required }],
    };
  });
}
