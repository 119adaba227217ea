/**
 * Creates a demo account with its owner and one key at the first start, so that there is something to call.
 * The secret of the key is shown only then.
 */
import { contractPermissions } from './kernel/access/vocabulary.ts';
import type { Registry } from './kernel/registry.ts';
import { createAccount } from './portal-api/accounts/creation.ts';
import { listAccounts } from './portal-api/accounts/view.ts';
import { SYSTEM } from './portal-api/actor.ts';
import { createKey } from './portal-api/keys/creation.ts';
import { createWelcomeLink } from './portal-api/people/welcome.ts';
import type { ProviderConfig } from './provider/schema.ts';
import type { Db } from './store/database.ts';

export interface Demo {
  readonly accountId: string;
  readonly apiKey: string;
  /** The owner signs in to the portal with it for the first time; null without a portal. */
  readonly welcomeLink: string | null;
}

/** Does nothing if an account exists. `portalOrigin`: where the portal is, or null if it is off. */
export async function seedDemo(
  db: Db,
  registry: Registry,
  provider: ProviderConfig,
  portalOrigin: string | null,
): Promise<Demo | null> {
  if ((await listAccounts(db)).length > 0) return null;
  const { account, owner } = await createAccount(
    db,
    SYSTEM,
    { name: 'Demo', owner_name: 'Demo Owner', owner_email: `demo@${provider.provider.domain}` },
    provider,
  );
  const input = { account_id: account.id, name: 'demo', preset: 'full-access' as const };
  const rules = { vocabulary: contractPermissions(registry), catalogue: provider.catalogue };
  const { secret } = await createKey(db, SYSTEM, input, rules);
  const welcomeLink = portalOrigin === null ? null : await createWelcomeLink(db, portalOrigin, owner);
  return { accountId: account.id, apiKey: secret, welcomeLink };
}
