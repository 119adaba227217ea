import { expect } from 'vitest';
import type { TestApp } from './app.ts';

/** The ids of all that the account of the key has. */
export async function inventoryOf(app: TestApp, key: string): Promise<string[]> {
  const answer = await app.call({ url: '/account/v1/resources?limit=200', key });
  const { data, next_cursor } = answer.json<{ data: { id: string }[]; next_cursor: string | null }>();
  expect(next_cursor).toBeNull();
  return data.map(({ id }) => id).sort();
}
