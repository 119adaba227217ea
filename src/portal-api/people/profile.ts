import { changesBetween } from '../../kernel/audit/changes.ts';
import { refuseSecrets } from '../../kernel/secret-text/in-body.ts';
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
  refuseSecrets({}, profile);
  return transact(db, async (tx) => {
    const person = await lockPerson(tx, personId);
    if (person === undefined) throw notFound('person', personId);
    const changes = changesBetween<PersonRow>(person, profile);
    if (changes.length === 0) return person;
    await logPerson(tx, context, personId, 'profile_changed', { changes });
    return updatePerson(tx, personId, profile);
  });
}
