/**
 * Whatever a member holds open without an API key ends with the right to it: when the session ends, when the role
 * changes, when the member is suspended or removed, when the account requires a second factor, is suspended or closed,
 * or loses the product.
 */
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeLargeBackup } from '../testing/large-backup.ts';
import { Browser, createSession } from '../testing/people.ts';
import { SignedIn } from '../testing/signed-in.ts';
import { StreamReader } from '../testing/stream-reader.ts';
import { VpsAccount } from '../testing/vps.ts';
import { handed, slowDownloads } from './handed-out.ts';
import { outcomeOf } from './responses.ts';

const OFTEN = { interval: 10 };
const EVENTS = '/account/v1/events?since=now&types=price.change_announced';

/** Two apps on one database, like two processes. `here` makes the change, and `there` holds the connections. */
let here: TestApp;
let there: TestApp;
let port: number;

beforeAll(async () => {
  here = await createTestApp({ portal: true });
  there = await createTestApp({ portal: true, database: here.database, provider: slowDownloads });
  await there.app.listen({ port: 0, host: '127.0.0.1' });
  port = (there.app.server.address() as AddressInfo).port;
});
afterEach(async () => {
  await here.services.db.deleteFrom('sessions').execute();
  await expect.poll(() => there.services.waiters.size, OFTEN).toBe(0);
});
afterAll(async () => {
  await there.close();
  await here.close();
});

type Loss = readonly [title: string, answer: string, take: (member: SignedIn) => Promise<unknown>];

const setMember = (set: { role?: 'billing'; status?: 'suspended' }) => (member: SignedIn) =>
  here.services.db.updateTable('members').set(set).where('id', '=', member.memberId).execute();

const setAccount =
  (status: 'suspended' | 'closed') =>
  ({ accountId }: SignedIn) =>
    here.services.db.updateTable('accounts').set({ status }).where('id', '=', accountId).execute();

const switchOff = ({ accountId }: SignedIn) =>
  here.services.db
    .updateTable('account_products')
    .set({ enabled: false })
    .where('account_id', '=', accountId)
    .where('family', '=', 'flexible-vps')
    .execute();

/** Chosen in another browser of the person. */
async function newPassword({ personId }: SignedIn): Promise<void> {
  const browser = new Browser(here, await createSession(here.services.db, { id: personId }));
  const answer = await browser.post('/me/password', { new_password: 'five quite unrelated words here' });
  expect(answer.statusCode, answer.body).toBe(200);
}

const losses: readonly Loss[] = [
  [
    'the end of the session',
    '401 not_signed_in',
    ({ sessionId }) => here.services.db.deleteFrom('sessions').where('id', '=', sessionId).execute(),
  ],
  [
    'the expiry of the session',
    '401 not_signed_in',
    ({ sessionId, accountId }) =>
      here.services.db.transaction().execute(async (tx) => {
        const at = sql<Date>`clock_timestamp() + interval '1 second'`;
        await tx.updateTable('sessions').set({ expires_at: at }).where('id', '=', sessionId).execute();
        await sql`select pg_notify('hostplane_access', ${accountId})`.execute(tx);
      }),
  ],
  ['another role', '403 permission_denied', setMember({ role: 'billing' })],
  ['the suspension of the member', '404 not_found', setMember({ status: 'suspended' })],
  [
    'the removal of the member',
    '404 not_found',
    ({ memberId }) => here.services.db.deleteFrom('members').where('id', '=', memberId).execute(),
  ],
  [
    'a second factor that the account requires',
    '404 not_found',
    ({ accountId }) =>
      here.services.db
        .updateTable('accounts')
        .set({ mfa_required: true })
        .where('id', '=', accountId)
        .execute(),
  ],
  ['the end of the account', '404 not_found', setAccount('closed')],
  ['another password', '401 not_signed_in', newPassword],
];

describe('a connection that a member holds open', () => {
  it.each(losses)('ends after %s', async (_, answer, take) => {
    const vps = await VpsAccount.open(here);
    const { id: vmId } = await vps.vm();
    const member = await SignedIn.open(there, vps.account.id, 'admin');
    const ids = { vmId, backupId: await makeLargeBackup(vps) };
    const bearers = [];
    for (const each of Object.values(handed)) {
      const make = async () => {
        const made = await member.call({ method: 'POST', url: each.urlOf(ids), payload: {} });
        expect(made.statusCode, made.body).toBe(201);
        return made.json<unknown>();
      };
      bearers.push({ each, unused: await make(), ...(await each.open(await make(), port)) });
    }
    const poll = member.call({ url: EVENTS, headers: { prefer: 'wait=60' } }).then(outcomeOf);
    const reader = await StreamReader.open(port, member.urlOf(EVENTS), member.headers);
    const payload = { name: `m-${vmId.slice(-8)}` };
    const machine = { method: 'POST', url: '/workshop/v1/machines', payload };
    const waiting = member.call({ ...machine, headers: { prefer: 'wait=60' } });
    await expect.poll(() => there.services.waiters.size, OFTEN).toBe(bearers.length + 3);

    await take(member);
    const code = answer.slice(4);
    expect(await poll).toBe(answer);
    expect((await reader.end()).text).toContain(`event: end\ndata: {"code":"${code}"}`);
    expect((await waiting).statusCode).toBe(202);
    for (const { each, unused, ended } of bearers) {
      expect(await ended).toContain(each.tellsReason ? code : 'cut off');
      expect(await each.refusal(unused, port)).toBe(await each.refusal(each.unknown(unused), port));
    }
  });

  /** The account still reads its events then. */
  const lossesOfChanges: readonly Loss[] = [
    ['the suspension of the account', '403 account_suspended', setAccount('suspended')],
    ['the end of the product', '403 product_not_enabled', switchOff],
  ];

  it.each(lossesOfChanges)('that a call handed out ends after %s', async (_, answer, take) => {
    const vps = await VpsAccount.open(here);
    const { id: vmId } = await vps.vm();
    const member = await SignedIn.open(there, vps.account.id, 'admin');
    const ids = { vmId, backupId: await makeLargeBackup(vps) };
    const opened = [];
    for (const each of Object.values(handed)) {
      const made = await member.call({ method: 'POST', url: each.urlOf(ids), payload: {} });
      opened.push({ each, ...(await each.open(made.json(), port)) });
    }
    const reader = await StreamReader.open(port, member.urlOf(EVENTS), member.headers);
    await take(member);
    for (const { each, ended } of opened)
      expect(await ended).toContain(each.tellsReason ? answer.slice(4) : 'cut off');
    expect(reader.ended).toBe(false);
  });

  it('goes on if other members lose their rights', async () => {
    const vps = await VpsAccount.open(here);
    const member = await SignedIn.open(there, vps.account.id, 'admin');
    const other = await SignedIn.open(there, vps.account.id, 'admin');
    const reader = await StreamReader.open(port, member.urlOf(EVENTS), member.headers);
    await setMember({ role: 'billing' })(other);
    await here.services.db.deleteFrom('sessions').where('id', '=', other.sessionId).execute();
    await expect
      .poll(async () => outcomeOf(await other.call({ url: EVENTS })), OFTEN)
      .toBe('401 not_signed_in');
    expect(reader.ended).toBe(false);
    expect((await member.call({ url: '/account/v1/whoami' })).statusCode).toBe(200);
  });
});
