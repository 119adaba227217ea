import type { KeyStatus } from '../../kernel/access/tables.ts';
import type { Services } from '../../kernel/services.ts';
import type { Db } from '../../store/database.ts';
import { notFound } from '../portal-write.ts';
import { countKeyStates, findEnding, findExposed, findKeyPage, findKeys, type KeySort } from './store.ts';
import { type KeyView, viewKey } from './view.ts';

export { keySorts } from './store.ts';

/** Oldest first. `which` (an id, a public id or a name) returns only exact matches. */
export async function listKeys(db: Db, accountId: string, which?: string): Promise<KeyView[]> {
  return (await findKeys(db, accountId, which)).map(viewKey);
}

const states = {
  living: ['active', 'suspended'],
  active: ['active'],
  suspended: ['suspended'],
  ended: ['expired', 'revoked'],
  all: undefined,
} as const satisfies Readonly<Record<string, readonly KeyStatus[] | undefined>>;

export type StatusFilter = keyof typeof states;
export const statusFilters = Object.keys(states) as StatusFilter[];

interface AskedKeys {
  readonly status?: StatusFilter;
  readonly owner_id?: string;
  readonly text?: string;
  readonly sort?: KeySort;
  readonly cursor?: string;
}

const PAGE = 25;

/** A page of the keys that fit. */
export async function pageOfKeys(
  { db, cursors }: Pick<Services, 'db' | 'cursors'>,
  accountId: string,
  { status = 'all', owner_id, text, sort = 'newest', cursor }: AskedKeys,
): Promise<{ readonly data: readonly KeyView[]; readonly next_cursor: string | null }> {
  const list = JSON.stringify(['portal keys', accountId, status, owner_id, text, sort]);
  const [value = '', id = ''] = cursor === undefined ? [] : cursors.read(list, cursor, 2);
  const filter = { states: states[status], ownerId: owner_id, text: text?.replace(/^hpk1_/, '') };
  const after = cursor === undefined ? null : ([value, id] as const);
  const rows = await findKeyPage(db, accountId, filter, sort, after, PAGE + 1);
  const shown = rows.slice(0, PAGE);
  const last = shown.at(-1);
  return {
    data: shown.map(viewKey),
    next_cursor:
      rows.length > PAGE && last !== undefined ? cursors.write(list, [last.sorted_by, last.id]) : null,
  };
}

export async function showKey(db: Db, accountId: string, keyId: string): Promise<KeyView> {
  const key = (await findKeys(db, accountId, keyId)).find(({ id }) => id === keyId);
  if (key === undefined) throw notFound('API key', keyId);
  return viewKey(key);
}

/** A person cannot look at more of them at once. */
const MOST_NAMED = 20;

/** What a person has to know about the keys of the account, without reading them all. */
export async function summariseKeys(db: Db, accountId: string) {
  const found = await countKeyStates(db, accountId);
  const counted = (state: KeyStatus): number => found.find((each) => each.state === state)?.count ?? 0;
  const [exposed, ending] = [
    await findExposed(db, accountId, MOST_NAMED),
    await findEnding(db, accountId, MOST_NAMED),
  ];
  return {
    counts: {
      active: counted('active'),
      suspended: counted('suspended'),
      expired: counted('expired'),
      revoked: counted('revoked'),
    },
    used: found.some(({ used }) => used),
    exposed: exposed.map(({ id, name }) => ({ id, name })),
    ending: ending.map(({ id, name, expires_at }) => ({ id, name, expires_at })),
  };
}
