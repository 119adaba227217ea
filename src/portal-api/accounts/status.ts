import { type AccountStatus, accountStatuses } from '../../kernel/access/tables.ts';
import { changesBetween } from '../../kernel/audit/changes.ts';
import type { NewEvent } from '../../kernel/events/event.ts';
import { invalid, Problem } from '../../kernel/problems/problem.ts';
import { OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check } from '../input.ts';
import { change } from '../portal-write.ts';
import { type AccountRow, updateAccount } from './store.ts';

/**
 * The statuses from which each status can be reached. `closed` is final. From `closing` only the provider can bring an
 * account back, as long as it is not closed.
 */
const reachedFrom: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  active: ['restricted', 'suspended', 'closing'],
  restricted: ['active', 'suspended'],
  suspended: ['active', 'restricted'],
  closing: ['active', 'restricted', 'suspended'],
  closed: ['closing'],
};

const messages: Partial<Record<AccountStatus, readonly [string, string]>> = {
  active: ['account.reinstated', 'The account is active again.'],
  restricted: ['account.restricted', 'The account is restricted: calls that raise its cost are refused.'],
  suspended: ['account.suspended', 'The account is suspended: it can be read and cleared, nothing else.'],
  closing: ['account.closing', 'The account is being closed: it can be read and cleared, nothing else.'],
};

function told(before: AccountStatus, after: AccountStatus): NewEvent[] {
  const [type, message] = messages[after] ?? [];
  if (type === undefined || message === undefined) return [];
  return [{ type, resource: null, message, data: { before, after } }];
}

const WRONG_NAME = {
  pointer: '/name',
  code: 'confirmation_mismatch',
  detail: 'This is not the name of the account.',
} as const;

const SetStatus = Shape({ account_id: Type.String(), status: OneOf(accountStatuses) });
export type SetAccountStatus = Static<typeof SetStatus>;

/** `typedName`: what a person has typed to confirm it. */
export async function setAccountStatus(
  db: Db,
  actor: Actor,
  input: SetAccountStatus,
  { typedName }: { readonly typedName?: string } = {},
): Promise<AccountRow> {
  return change(db, actor, 'setAccountStatus', input.account_id, async (tx, account) => {
    check(SetStatus, input);
    const { status } = input;
    // Owners may close their account; only the provider sets any other status.
    await authorise(tx, actor, account.id, status === 'closing' ? 'owner' : 'staff');
    if (typedName !== undefined && typedName.trim() !== account.name) throw invalid([WRONG_NAME]);
    const resource = { type: 'account', id: account.id, name: account.name };
    if (account.status === status) return { result: account, resource, changes: [] };
    if (!reachedFrom[status].includes(account.status)) {
      throw new Problem('invalid_state', {
        detail: `An account that is ${account.status} cannot become ${status}.`,
        extra: { current_state: account.status, allowed_states: reachedFrom[status] },
      });
    }
    const result = await updateAccount(tx, account.id, { status });
    const changes = changesBetween<AccountRow>(account, { status });
    return { result, resource, changes, events: told(account.status, status) };
  });
}
