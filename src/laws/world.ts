/** The account as which a law calls endpoints, on an app of its own or one that it is given. */
import { createAccount, createKey, type TestAccount, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';

export type Params = Readonly<Record<string, string>>;

export interface World {
  readonly app: TestApp;
  readonly account: TestAccount;
  /** May do everything and belongs to the account's owner. */
  readonly key: TestKey;
}

export async function createWorld(app?: TestApp): Promise<World> {
  const home = app ?? (await createTestApp());
  const account = await createAccount(home.services.db);
  await liftLimits(home, account);
  return { app: home, account, key: await createKey(home.services.db, account) };
}

/** A walk makes more of everything than anybody would. */
async function liftLimits({ services }: TestApp, { id }: TestAccount): Promise<void> {
  const lifted = services.provider.catalogue.limits
    .filter(({ scope }) => scope !== 'parent')
    .map((limit) => ({ account_id: id, limit_id: limit.id, value: null }));
  await services.db.insertInto('account_limits').values(lifted).execute();
}

let serial = 0;
const WORD = 'walk';
let word = WORD;

/**
 * For laws about what names say: all names in this process begin with another word, until the returned function is
 * called. It has to be: the files that run later in the same process rely on the usual word.
 */
export function beginNamesWith(other: string): () => void {
  word = other;
  return () => {
    word = WORD;
  };
}

/** A name that no other resource of this process has. */
export const freshName = (): string => `${word}-${process.pid}-${String(++serial).padStart(5, '0')}`;
