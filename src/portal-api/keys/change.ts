/** Changes the words on an API key. What it may do, and for how long, changes only with a new secret: see `roll.ts`. */
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { check, Line } from '../input.ts';
import { change } from '../portal-write.ts';
import { requireFreeName } from './creation.ts';
import { requireLiving } from './life.ts';
import { keyToChange } from './ownership.ts';
import { readKey, updateKeys } from './store.ts';
import { type KeyView, viewKey } from './view.ts';

const ChangeKey = Shape({
  account_id: Type.String(),
  key_id: Type.String(),
  name: Type.Optional(Line(1, 64)),
  notes: Type.Optional(Line(0, 255)),
});
export type ChangeKey = Static<typeof ChangeKey>;

export async function changeKey(db: Db, actor: Actor, input: ChangeKey): Promise<KeyView> {
  return change(db, actor, 'changeApiKey', input.account_id, async (tx, account) => {
    check(ChangeKey, input);
    const key = await keyToChange(tx, actor, account.id, input.key_id);
    requireLiving(key);
    const { name = key.name, notes = key.notes } = input;
    const resource = { type: 'api_key', id: key.id, name: key.name };
    if (name !== key.name) await requireFreeName(tx, account.id, name);
    const changes = [
      { pointer: '/name', before: key.name, after: name },
      { pointer: '/notes', before: key.notes, after: notes },
    ].filter(({ before, after }) => before !== after);
    if (changes.length === 0) return { result: viewKey(key), resource, changes };
    await updateKeys(tx, [key.id], { name, notes });
    return { result: viewKey(await readKey(tx, key.id)), resource, changes };
  });
}
