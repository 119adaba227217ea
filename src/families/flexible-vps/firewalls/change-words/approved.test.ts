/** A key that needs approval for what loosens needs it for what all firewalls of a machine let through together. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { approveRequest } from '../../../../portal-api/approvals/decision.ts';
import { createKey, type TestKey } from '../../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../../testing/app.ts';
import { settle } from '../../../../testing/operations.ts';
import { staff } from '../../../../testing/portal.ts';
import { VpsAccount } from '../../../../testing/vps.ts';
import type { Firewall } from '../schema.ts';

let app: TestApp;
let mine: VpsAccount;
let careful: TestKey;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  careful = await createKey(app.services.db, mine.account, { approval: 'destructive' });
});

const anything = { direction: 'in', action: 'allow', protocol: 'any' };

async function send(path: string, payload: object, method: 'POST' | 'PATCH' = 'POST', approval?: string) {
  const headers = approval === undefined ? {} : { 'approval-id': approval };
  const answer = await app.call({
    method,
    url: `/flexible-vps/v1/${path}`,
    payload,
    key: careful.key,
    headers,
  });
  await settle(app);
  return answer;
}

async function approve(operation_id: string): Promise<void> {
  await approveRequest(app.services.db, staff, { account_id: mine.account.id, operation_id }, app.registry);
}

const firewall = async (name: string, body: object = {}): Promise<string> =>
  (await send('firewalls', { name, ...body })).json<Firewall>().id;

it('asks a person for a rule of an allowing firewall that opens what another firewall drops', async () => {
  const strict = await firewall('strict');
  const vm = await mine.vm({ firewall_ids: [strict] });
  const step = await firewall('step', { default_in: 'allow' });
  const target = { type: 'vm', id: vm.id };
  expect((await send(`firewalls/${step}/attachments`, { target })).statusCode).toBe(202);
  const asked = await send(`firewalls/${step}/rules`, anything);
  expect(asked.json()).toMatchObject({
    code: 'approval_required',
    detail: expect.stringContaining('the firewall "step" opens everything to everybody for 1 machine'),
  });
});

it('asks a person for labels that give a machine an opening firewall', async () => {
  const strict = await firewall('strict');
  const vm = await mine.vm({ firewall_ids: [strict] });
  const lax = await firewall('lax', { default_in: 'allow', rules: [anything] });
  const target = { type: 'label_selector', selector: 'role=x' };
  expect((await send(`firewalls/${lax}/attachments`, { target })).statusCode).toBe(202);
  const asked = await send(`vms/${vm.id}`, { labels: { role: 'x' } }, 'PATCH');
  expect(asked.json()).toMatchObject({ code: 'approval_required' });
  expect((await mine.readVm(vm.id)).labels).toEqual({});
});

it('asks again if an approved call would open more than the person has read', async () => {
  const web = await firewall('web');
  await mine.vm({ firewall_ids: [web] });
  const first = (await send(`firewalls/${web}/rules`, anything)).json<{ operation_id: string }>();
  await approve(first.operation_id);
  await mine.vm({ firewall_ids: [web] });
  const again = (await send(`firewalls/${web}/rules`, anything, 'POST', first.operation_id)).json();
  expect(again).toMatchObject({
    code: 'approval_required',
    detail: expect.stringMatching(new RegExp(`Since ${first.operation_id} was requested, .* for 2 machines`)),
  });
  expect(again.operation_id).not.toBe(first.operation_id);
  await approve(again.operation_id);
  const done = await send(`firewalls/${web}/rules`, anything, 'POST', again.operation_id);
  expect(done.statusCode, done.body).toBe(202);
});
