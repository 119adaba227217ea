/** Finds the account, member, key or allowlist entry that a command names, by id or by name. */
import { type AccountSummary, listAccounts } from '../../portal-api/accounts/view.ts';
import { type EntryView, showAllowlist } from '../../portal-api/allowlist/view.ts';
import { listKeys } from '../../portal-api/keys/list.ts';
import type { KeyView } from '../../portal-api/keys/view.ts';
import { listMembers } from '../../portal-api/members/members.ts';
import type { MemberSummary } from '../../portal-api/members/store.ts';
import type { Desk } from './command.ts';
import { Refusal } from './refusal.ts';

export async function chooseAccount({ db, options }: Desk, named = options.account): Promise<AccountSummary> {
  const found = await listAccounts(db, { limit: 20, ...(named === undefined ? {} : { idOrName: named }) });
  const [account] = found;
  if (account === undefined) {
    throw new Refusal(
      named === undefined
        ? 'There is no account yet. Create one: hostplane admin accounts create --help'
        : `No account has the id or the exact name "${named}". See: hostplane admin accounts list`,
    );
  }
  if (found.length === 1) return account;
  const ids = found.map(({ id, name }) => `\n  ${id}  ${name}`).join('');
  throw new Refusal(
    named === undefined
      ? `There are several accounts; choose one with --account:${ids}`
      : `Several accounts are called "${named}"; choose one by its id:${ids}`,
    2,
  );
}

export async function chooseMember(desk: Desk, accountId: string, named: string): Promise<MemberSummary> {
  const members = await listMembers(desk.db, accountId);
  const wanted = named.toLowerCase();
  const member = members.find(({ id, email }) => id === named || email.toLowerCase() === wanted);
  if (member !== undefined) return member;
  throw new Refusal(
    `No member of the account has the id or the e-mail address "${named}". See: hostplane admin members list`,
  );
}

/** Several keys may have had the same name over time; a name refers to the key that is still active or suspended. */
export async function chooseKey(desk: Desk, accountId: string, named: string): Promise<KeyView> {
  const found = await listKeys(desk.db, accountId, named);
  const living = found.filter(({ status, replaced_by }) => isLiving(status) && replaced_by === null);
  const [key] = living.length > 0 ? living : found;
  if (key === undefined) {
    throw new Refusal(
      `No API key of the account has the id or the name "${named}". See: hostplane admin keys list --all`,
    );
  }
  if (living.length === 1 || found.length === 1) return key;
  const ids = found.map(({ id, status }) => `\n  ${id}  ${status}`).join('');
  throw new Refusal(`Several API keys were called "${named}"; choose one by its id:${ids}`, 2);
}

export const isLiving = (status: KeyView['status']): boolean => status === 'active' || status === 'suspended';

export async function chooseEntry(desk: Desk, accountId: string, named: string): Promise<EntryView> {
  const { entries } = await showAllowlist(desk.db, accountId);
  const wanted = named.toLowerCase();
  const entry = entries.find(
    ({ id, cidr }) => id === named || cidr === wanted || cidr === `${wanted}/32` || cidr === `${wanted}/128`,
  );
  if (entry !== undefined) return entry;
  throw new Refusal(`The allowlist has no entry "${named}". See: hostplane admin allowlist show`);
}
