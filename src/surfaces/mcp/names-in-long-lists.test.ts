/** The name of an API key may have spaces, by which its list cannot be asked, so its pages are read. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, type TestAccount } from '../../testing/accounts.ts';
import type { TestApp } from '../../testing/app.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';

let t: TestApp;
let close: () => Promise<void>;
let account: TestAccount;
let agent: McpClient;

async function createKeys(count: number, prefix: string): Promise<void> {
  for (let made = 0; made < count; made += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - made) }, (_, i) =>
        createKey(t.services.db, account, { name: `${prefix} ${made + i}` }),
      ),
    );
}

beforeAll(async () => {
  const there = await openAssistant();
  ({ t, agent, close } = there);
  ({ account } = there.home);
});
afterAll(() => close?.());

const readKey = (name: string) => agent.call('call_read', { operation: 'getApiKey', path: { id: name } });

it('a name is found on any page, and beyond the last page that is read the answer says so', async () => {
  await createKeys(205, 'early key');
  const { id } = await createKey(t.services.db, account, { name: 'The middle one' });
  await createKeys(205, 'late key');
  expect((await readKey('The middle one')).json.data.id).toBe(id);
  expect((await readKey('Nobody has this')).json.code).toBe('not_found');
  await createKeys(1_700, 'further key');
  for (const [name, candidates] of [
    ['Nobody has this', undefined],
    ['The middle one', [expect.objectContaining({ id })]],
  ] as const) {
    const { isError, json } = await readKey(name);
    expect([isError, json.code, json.candidates]).toEqual([true, 'too_many_to_search', candidates]);
    expect(json.detail).toContain('2000 rows');
    expect(json.next_step).toContain('Send the id');
  }
  expect((await readKey(id)).json.data.id).toBe(id);
});
