import { allowlistModes } from '../../kernel/access/tables.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import { type Actor, labelOf } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check, refuse } from '../input.ts';
import { change } from '../portal-write.ts';
import { bumpAllowlist, ensureAllowlist, findAllowlist, findEntries } from './store.ts';
import { type EnforcePreview, previewEnforce, showAllowlist } from './view.ts';

const SetMode = Shape({
  account_id: Type.String(),
  mode: OneOf(allowlistModes),
  /**
   * The number of pairs of key and address that the caller expects Enforce to deny; another number is
   * refused.
   */
  confirm: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type SetAllowlistMode = Static<typeof SetMode>;

type Outcome = Awaited<ReturnType<typeof showAllowlist>> & EnforcePreview;

export async function setAllowlistMode(db: Db, actor: Actor, input: SetAllowlistMode): Promise<Outcome> {
  return change(db, actor, 'setIpAllowlistMode', input.account_id, async (tx, account) => {
    check(SetMode, input);
    await authorise(tx, actor, account.id, 'admin');
    await ensureAllowlist(tx, account.id);
    const { mode, confirm } = input;
    const before = (await findAllowlist(tx, account.id))?.mode ?? 'off';
    const preview =
      mode === 'enforce' ? await previewEnforce(tx, account.id) : { would_deny: [], warnings: [] };
    if (mode === 'enforce' && before !== mode) {
      const entries = await findEntries(tx, account.id);
      if (!entries.some(({ live }) => live)) throw new Problem('allowlist_empty');
      const count = preview.would_deny.length;
      if (confirm !== undefined && confirm !== count) {
        const detail = `By now ${count} pairs of key and address would be denied.`;
        refuse([{ pointer: '/confirm', code: 'confirmation_mismatch', detail }]);
      }
    }
    if (before !== mode) await bumpAllowlist(tx, account.id, { mode, by: labelOf(actor) });
    const resource = { type: 'ip_allowlist', id: account.id, name: null };
    const event = {
      type: 'ip_allowlist.mode_changed',
      resource,
      message: `The IP allowlist was switched from ${before} to ${mode}.`,
      data: { before, after: mode },
    };
    return {
      result: { ...(await showAllowlist(tx, account.id)), ...preview },
      resource,
      changes: before === mode ? [] : [{ pointer: '/mode', before, after: mode }],
      events: before === mode ? [] : [event],
    };
  });
}
