/** The names of those who did something, for people: rows store ids and kinds of actors (`labelOf`). */
import type { Db } from '../../store/database.ts';
import { findNames } from './store.ts';

const MEMBER = /^mem_\w+$/;
const STAFF = /^provider_staff:/;
const SYSTEM = /^system:/;

/** Returns a function that says who is meant. Names, such as those of API keys, stay as they are. */
export async function namesOf(
  db: Db,
  accountId: string,
  labels: readonly (string | null)[],
): Promise<<Label extends string | null>(label: Label) => Label> {
  const ids = [...new Set(labels.filter((label) => label !== null && MEMBER.test(label)))] as string[];
  const found = ids.length === 0 ? new Map<string, string>() : await findNames(db, accountId, ids);
  const nameOf = (label: string): string => {
    if (MEMBER.test(label)) return found.get(label) ?? 'a former member';
    if (STAFF.test(label)) return 'the provider';
    return SYSTEM.test(label) ? 'Hostplane' : label;
  };
  return <Label extends string | null>(label: Label) => (label === null ? label : nameOf(label)) as Label;
}
