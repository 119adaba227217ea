import { maskKeys } from '../../kernel/access/key-format.ts';
import { changesBetween } from '../../kernel/audit/changes.ts';
import { invalid } from '../../kernel/problems/problem.ts';
import type { Db } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { notFound } from '../portal-write.ts';
import { logPerson } from './log/log.ts';
import type { RequestContext } from './request-context.ts';
import { lockPerson, type PersonRow, updatePerson } from './store.ts';
import type { Theme } from './tables.ts';

export interface Profile {
  readonly name?: string;
  readonly theme?: Theme;
}

/** The names of the person as a member stay: they belong to the accounts. */
export async function changeProfile(
  db: Db,
  context: RequestContext,
  personId: string,
  profile: Profile,
): Promise<PersonRow> {
  if (profile.name !== undefined && maskKeys(profile.name) !== profile.name) {
    const detail = 'Holds an API key, which everyone who reads this text could use.';
    throw invalid([{ pointer: '/name', code: 'invalid_format', detail }]);
  }
  return transact(db, async (tx) => {
    const person = await lockPerson(tx, personId);
    if (person === undefined) throw notFound('person', personId);
    const changes = changesBetween<PersonRow>(person, profile);
    if (changes.length === 0) return person;
    await logPerson(tx, context, personId, 'profile_changed', { changes });
    return updatePerson(tx, personId, profile);
  });
}
