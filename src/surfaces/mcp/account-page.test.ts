import { afterAll, beforeAll, expect, it } from 'vitest';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import type { VpsAccount } from '../../testing/vps.ts';
import { sizeOf } from './fit.ts';

let home: VpsAccount;
let agent: McpClient;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ home, agent, close } = await openAssistant());
});
afterAll(() => close?.());

const makeGroups = (count: number, prefix: string) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      home.send('POST', 'placement-groups', { name: `${prefix}-${i}`, location: 'fra1', policy: 'spread' }),
    ),
  );

async function accountPage() {
  const { contents } = await agent.client.readResource({ uri: 'hostplane://account' });
  return JSON.parse((contents[0] as { text: string }).text);
}

it('the page of a small account shows all that it has', async () => {
  await makeGroups(2, 'few');
  const page = await accountPage();
  expect(page.resources).toHaveLength(2);
  expect(page).toMatchObject({ budgets: [], running_operations: [], usage: expect.anything() });
  expect(page).not.toHaveProperty('not_all');
});

it('the page of a large account says how many resources there are, and how to get them', async () => {
  await makeGroups(48, 'many');
  const page = await accountPage();
  const shown = page.resources.length;
  expect(shown).toBeGreaterThan(3);
  expect(shown).toBeLessThan(50);
  expect(page.not_all).toEqual({
    resources: { shown, of: 50, next_step: 'call_read listResources shows all.' },
  });
  expect(sizeOf(page)).toBeLessThan(1_600);
});
