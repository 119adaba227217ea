import { changesBetween } from '../../kernel/audit/changes.ts';
import { familyNames } from '../../kernel/families.ts';
import { OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check, Line } from '../input.ts';
import { change } from '../portal-write.ts';
import { listProducts, type ProductRow, updateAccount, writeProducts } from './store.ts';

const SetProduct = Shape({
  account_id: Type.String(),
  family: OneOf(familyNames.filter((name) => name !== 'account')),
  enabled: Type.Boolean(),
  reason: Type.Optional(Line(1, 200)),
});
export type SetProduct = Static<typeof SetProduct>;

/**
 * Disabling a product takes its permissions from all keys at once and deletes nothing; enabling it gives them
 * back.
 */
export async function setProduct(db: Db, actor: Actor, input: SetProduct): Promise<ProductRow> {
  const action = input.enabled ? 'enableProduct' : 'disableProduct';
  return change(db, actor, action, input.account_id, async (tx, account) => {
    check(SetProduct, input);
    await authorise(tx, actor, account.id, 'admin');
    const { family, enabled } = input;
    const before = (await listProducts(tx, account.id)).find((product) => product.family === family);
    const reason = enabled ? null : (input.reason ?? before?.reason ?? null);
    const kept = before !== undefined && before.enabled === enabled;
    const since = kept ? before.since : enabled ? new Date() : null;
    const result = { family, enabled, since, reason };
    const known = before ?? { enabled: false, reason: null };
    const changes = changesBetween<ProductRow>(known, { enabled, reason });
    if (changes.length > 0) {
      await writeProducts(tx, account.id, [result]);
      await updateAccount(tx, account.id, {});
    }
    const event = {
      type: enabled ? 'account.product_enabled' : 'account.product_disabled',
      resource: null,
      message: `The account ${enabled ? 'may use' : 'may no longer use'} the product ${family}.`,
      data: { family, reason },
    };
    const isNews = changes.some(({ pointer }) => pointer === '/enabled');
    return {
      result,
      resource: { type: 'product', id: family, name: family },
      changes,
      events: isNews ? [event] : [],
    };
  });
}
