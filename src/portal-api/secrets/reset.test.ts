import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSeal } from '../../kernel/secrets/key.ts';
import { newKey } from '../../kernel/secrets/seal.ts';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { createPerson } from '../../testing/people.ts';
import { insertDelivery, insertWebhook } from '../../testing/webhooks.ts';
import { resetSecrets } from './reset.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ works: false });
});
afterAll(() => t.close());

it('a server with a new key has new secrets and disabled webhooks, and drops waiting messages', async () => {
  const { db, log: _, ...services } = t.services;
  const actor = { kind: 'provider_staff', name: 'root' } as const;
  const source = (key: Buffer) => ({ key: key.toString('base64'), key_file: '/nowhere' });
  const [lost, found] = [newKey(), newKey()];
  const secrets = await openSeal(db, source(lost));
  const account = await createAccount(db);
  const { id } = await insertWebhook({ ...services, db, secrets }, account);
  const waits = { status: 'pending', finished_at: null, next_attempt_at: new Date() } as const;
  await insertDelivery({ db }, account, id, waits);
  await createPerson(db, { totp_secret: Buffer.from('sealed'), totp_enabled_at: new Date() });
  await expect(resetSecrets(db, actor, source(lost))).rejects.toThrow('nothing is lost');
  await expect(openSeal(db, source(found))).rejects.toThrow('hostplane admin secrets reset');
  expect(await resetSecrets(db, actor, source(found))).toEqual({ accounts: 1, webhooks: 1, people: 1 });
  const after = await db.selectFrom('people').select('totp_enabled_at').execute();
  expect(after).toEqual([{ totp_enabled_at: null }]);
  const seal = await openSeal(db, source(found));
  const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ status: 'disabled', enabled: false, disabled_reason: 'manual' });
  expect(seal.open(row.secret, id)).toHaveLength(32);
  const kept = await db.selectFrom('webhook_deliveries').select('status').execute();
  expect(kept).toEqual([{ status: 'discarded' }]);
});
