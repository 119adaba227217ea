/** The search of the portal answers by meaning what no title answers by its words. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { type Browser, createOwnedAccount } from '../../testing/people.ts';

let t: TestApp;
let owner: Browser;

beforeAll(async () => {
  t = await createTestApp({ portal: true });
  ({ owner } = await createOwnedAccount(t));
});
afterAll(() => t.close());

const find = async (words: string) =>
  (await owner.get(`/found-operations?${new URLSearchParams({ words })}`)).json();

it('words of other clouds find operations', async () => {
  const { note, operation_ids, near_operation_ids } = await find('delete a droplet');
  expect([note, operation_ids[0], near_operation_ids]).toEqual([null, 'deleteVm', []]);
});

it('what is not there gets a note and the nearest topics', async () => {
  const { note, operation_ids, near_operation_ids } = await find('load balancer');
  expect([note, operation_ids]).toEqual(['Nothing here is about load balancers.', []]);
  expect(near_operation_ids[0]).toBe('listVms');
});

it('a question that is too long is refused', async () => {
  expect((await owner.get(`/found-operations?words=${'a'.repeat(401)}`)).statusCode).toBe(422);
});
