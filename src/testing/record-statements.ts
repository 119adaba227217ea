/**
 * A setup file of every test file: notes the text of each SQL statement that the tests send, so that `npm test` can have
 * all of them prepared by the oldest PostgreSQL that Hostplane supports (`scripts/statements.ts`).
 */
import { appendFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll } from 'vitest';

const file = process.env['HOSTPLANE_STATEMENTS'];
const PREPARABLE = /^\s*(select|insert|update|delete|merge|with|values)\b/i;

/** Shared by all test files of a process, which load this module again. */
const state = globalThis as { hostplaneStatements?: { seen: Set<string>; fresh: string[] } };

function record(query: unknown): void {
  const text = typeof query === 'string' ? query : (query as { text?: unknown } | null)?.text;
  if (typeof text !== 'string' || !PREPARABLE.test(text)) return;
  const { seen, fresh } = state.hostplaneStatements!;
  if (seen.has(text)) return;
  seen.add(text);
  fresh.push(text);
}

if (file !== undefined) {
  if (state.hostplaneStatements === undefined) {
    state.hostplaneStatements = { seen: new Set(), fresh: [] };
    const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      record(args[0]);
      return send.apply(this, args);
    } as typeof pg.Client.prototype.query;
  }
  const { fresh } = state.hostplaneStatements;
  afterAll(() => {
    const lines = fresh.splice(0).map((text) => `${JSON.stringify(text)}\n`);
    if (lines.length > 0) appendFileSync(file, lines.join(''));
  });
}
