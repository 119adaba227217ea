/** Download links of an account, whatever files they are of: for operators, who have no API key of the account. */
import { endLink, linksOfAccount } from '../../kernel/downloads/store.ts';
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check } from '../input.ts';
import { change, notFound } from '../portal-write.ts';

/** Links that work now, oldest first. */
export async function listDownloadLinks(db: Db, accountId: string) {
  const rows = await linksOfAccount(db, accountId);
  return rows.map(({ token_hash: _, session_id: __, ...link }) => link);
}

const EndDownloadLink = Shape({ account_id: Type.String(), link_id: Type.String() });
type EndDownloadLink = Static<typeof EndDownloadLink>;

/** Downloads that are running are cut off. */
export async function endDownloadLink(
  db: Db,
  actor: Actor,
  input: EndDownloadLink,
): Promise<{ link_id: string; resource_id: string }> {
  return change(db, actor, 'endDownloadLink', input.account_id, async (tx) => {
    check(EndDownloadLink, input);
    const { account_id, link_id } = input;
    await authorise(tx, actor, account_id, 'admin');
    const ended = await endLink(tx, account_id, link_id);
    if (ended === undefined) throw notFound('download link', link_id);
    const { resource_id } = ended;
    return {
      result: { link_id, resource_id },
      resource: { type: 'download_link', id: link_id, name: null },
      changes: [{ pointer: '', before: { resource_id, uses: ended.uses }, after: null }],
    };
  });
}
