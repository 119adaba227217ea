/** A task that a scripted client does through MCP, as an assistant would: find the operation, call it, look. */
import { expect } from 'vitest';
import type { TestAccount } from '../accounts.ts';
import type { TestApp } from '../app.ts';
import type { McpClient, McpServer, ToolAnswer } from '../mcp.ts';

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

export interface Desk {
  readonly app: TestApp;
  readonly mcp: McpServer;
  readonly account: TestAccount;
  readonly key: string;
  readonly agent: McpClient;
  /** The machines that every task finds: web-1, db-1, and stop-1, which is stopped. */
  readonly machines: Readonly<Record<'web' | 'db' | 'stopped', Machine>>;
  /** A machine of another account. */
  readonly foreignId: string;
  /** Reads directly from the API, to check what a task has done. */
  // biome-ignore lint/suspicious/noExplicitAny: checks read members of any answer.
  read(path: string): Promise<any>;
  /** Creates a machine of this name directly, which a task may destroy. */
  machine(name: string, labels?: Readonly<Record<string, string>>): Promise<Machine>;
}

export interface Task {
  readonly name: string;
  /** The most calls of tools, and the most tokens of all their answers, that the task may take. */
  readonly calls: number;
  readonly tokens: number;
  run(desk: Desk): Promise<void>;
}

/** Searches with the words of the user and expects the operation among the hits. */
export async function find({ agent }: Desk, query: string, operation: string): Promise<void> {
  const { json } = await agent.call('search_operations', { query });
  expect(json.hits.map((hit: { operation: string }) => hit.operation)).toContain(operation);
}

export async function ok(answer: Promise<ToolAnswer>): Promise<ToolAnswer['json']> {
  const { isError, json, text } = await answer;
  expect([isError, isError ? text : '']).toEqual([false, '']);
  return json;
}

export async function refused(answer: Promise<ToolAnswer>, code: string): Promise<ToolAnswer['json']> {
  const { isError, json } = await answer;
  expect([isError, json.code]).toEqual([true, code]);
  expect(json.next_step).not.toBe('');
  return json;
}

export const newMachine = (name: string, more: object = {}) => ({
  name,
  location: 'fra1',
  plan: 'flex-1-1',
  source: { type: 'image', image_id: 'ubuntu-24.04' },
  ...more,
});
