/**
 * Recovers from a lost secrets key. Secrets sealed with it cannot be read any more, so all are replaced under
 * a new key.
 */
import { randomBytes } from 'node:crypto';
import { Problem } from '../../kernel/problems/problem.ts';
import { openSeal } from '../../kernel/secrets/key.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import type { Db } from '../../store/database.ts';
import { forgetKeyFingerprint } from '../../store/instance.ts';
import { transact } from '../../store/transaction.ts';
import type { Actor } from '../actor.ts';
import { logPerson } from '../people/log/log.ts';
import { noteSecondFactor } from '../people/store.ts';
import { change } from '../portal-write.ts';
import { accountsWithSecrets, forgetTotpSecrets, lockWebhooks, replaceSecret } from './store.ts';

export interface SecretsReset {
  readonly accounts: number;
  readonly webhooks: number;
  /** How many people lose the app for one-time passwords. */
  readonly people: number;
}

export async function resetSecrets(
  db: Db,
  actor: Actor,
  source: ProviderConfig['secrets'],
): Promise<SecretsReset> {
  const fits = await openSeal(db, source).then(
    () => true,
    () => false,
  );
  if (fits) {
    throw new Problem('invalid_state', {
      detail: 'The configured key opens the stored secrets: nothing is lost, so there is nothing to reset.',
      extra: { current_state: 'readable', allowed_states: ['lost'] },
    });
  }
  await forgetKeyFingerprint(db);
  const seal = await openSeal(db, source);
  const accounts = await accountsWithSecrets(db);
  let count = 0;
  for (const accountId of accounts) {
    count += await change(db, actor, 'resetSecrets', accountId, async (tx) => {
      const webhooks = await lockWebhooks(tx, accountId);
      for (const { id } of webhooks) await replaceSecret(tx, id, seal.close(randomBytes(32), id));
      return {
        result: webhooks.length,
        resource: { type: 'webhook', id: null, name: null },
        changes: webhooks.map(({ id }) => ({ pointer: `/${id}/secret`, before: '***', after: '***' })),
      };
    });
  }
  const people = await transact(db, async (tx) => {
    const ids = await forgetTotpSecrets(tx);
    for (const id of ids) {
      await noteSecondFactor(tx, id);
      await logPerson(tx, null, id, 'second_factor_reset', { by: actor.kind });
    }
    return ids.length;
  });
  return { accounts: accounts.length, webhooks: count, people };
}
