import { append, openChain } from '../../kernel/audit/store.ts';
import { newId } from '../../kernel/ids.ts';
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { ensureAllowlist } from '../allowlist/store.ts';
import { staffOnly } from '../authority.ts';
import { check, Email, Line } from '../input.ts';
import { insertMember, type MemberRow } from '../members/store.ts';
import { succeeded } from '../portal-write.ts';
import { type AccountRow, insertAccount, writeProducts } from './store.ts';
import { isTimezone, TIMEZONE_FAULT } from './timezone.ts';

const CreateAccount = Shape({
  name: Line(1, 100),
  currency: Type.Optional(Type.Unsafe<string>({ type: 'string', pattern: '^[A-Z]{3}$' })),
  country: Type.Optional(Type.Unsafe<string>({ type: 'string', pattern: '^[A-Z]{2}$' })),
  timezone: Type.Optional(Line(1, 64)),
  owner_name: Line(1, 100),
  owner_email: Email,
});
export type CreateAccount = Static<typeof CreateAccount>;

/** The provider's values for fields that the new account leaves out. */
export interface AccountDefaults {
  readonly provider: Pick<ProviderConfig['provider'], 'currency' | 'country' | 'timezone'>;
  readonly catalogue: Pick<Catalogue, 'products'>;
}

export interface NewAccount {
  readonly account: AccountRow;
  readonly owner: MemberRow;
}

/** Creates the account with its first owner: without an owner no member could manage it. */
export async function createAccount(
  db: Db,
  actor: Actor,
  input: CreateAccount,
  defaults: AccountDefaults,
): Promise<NewAccount> {
  staffOnly(actor);
  return db.transaction().execute((tx) => openAccount(tx, input, defaults, { actorOf: () => actor }));
}

/** `personId`: the person who signed up for the account. */
export async function openAccount(
  tx: Tx,
  input: CreateAccount,
  defaults: AccountDefaults,
  {
    actorOf,
    personId = null,
  }: { readonly actorOf: (owner: MemberRow) => Actor; readonly personId?: string | null },
): Promise<NewAccount> {
  check(CreateAccount, input, ({ timezone }) =>
    timezone === undefined || isTimezone(timezone) ? [] : [TIMEZONE_FAULT],
  );
  const { currency, country, timezone } = { ...defaults.provider, ...input };
  const account = await insertAccount(tx, {
    id: newId('account'),
    name: input.name,
    currency,
    country,
    timezone,
  });
  const products = defaults.catalogue.products.filter(({ family }) => family !== 'account');
  await writeProducts(
    tx,
    account.id,
    products.map(({ family, enabled }) => ({
      family,
      enabled,
      since: enabled ? account.created_at : null,
      reason: null,
    })),
  );
  await ensureAllowlist(tx, account.id);
  const owner = await insertMember(tx, {
    id: newId('member'),
    account_id: account.id,
    name: input.owner_name,
    email: input.owner_email,
    role: 'owner',
    person_id: personId,
  });
  await openChain(tx, account.id);
  const after = { name: account.name, currency, country, timezone, owner: owner.id };
  const changed = {
    result: account,
    resource: { type: 'account', id: account.id, name: account.name },
    changes: [{ pointer: '', before: null, after }],
  };
  await append(tx, account.id, succeeded(actorOf(owner), 'createAccount', changed));
  return { account, owner };
}
