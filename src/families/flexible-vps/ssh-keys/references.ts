/** Resolves the `ssh_key_ids` of a request body. */
import { invalid } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';
import { readSshKeys } from './store.ts';
import type { SshKeyRow } from './table.ts';

/** Returns the keys in the order of `ids`. Throws 422 with one error per id that the account does not have. */
export async function requireSshKeys(
  db: Db,
  accountId: string,
  ids: readonly string[],
  pointer: string,
): Promise<SshKeyRow[]> {
  const rows = await readSshKeys(db, accountId, ids);
  const known = new Set(rows.map(({ id }) => id));
  const errors = ids.flatMap((id, i) =>
    known.has(id)
      ? []
      : [
          {
            pointer: `${pointer}/${i}`,
            code: 'unknown_reference' as const,
            detail: 'There is no such SSH key in this account.',
          },
        ],
  );
  if (errors.length > 0) throw invalid(errors);
  return rows;
}
