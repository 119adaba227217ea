/**
 * A rule about an API key follows its replacement; a fact about the past stays with the old key. Every column that holds
 * ids of keys says in its comment, written by the migration that adds it, which of both it is: `API key rule: …` or
 * `API key fact: …`. The columns are found in the catalogue, by name and by reference, and in the rows after all endpoints
 * were called, so that a new table cannot be forgotten. Each rule is tried by rolling a key.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { type Trial, trials } from './key-rules.ts';
import { createWorld, endpoints, requestTo, takesNewNames, type World } from './walk.ts';

interface Column {
  readonly place: string;
  readonly comment: string | null;
}

let app: TestApp;
let world: World;
let columns: Column[];

/** Calls every endpoint with a key that may do everything, and the writes also with one that has to ask. */
async function callEverything(): Promise<void> {
  const asking = await createKey(app.services.db, world.account, { approval: 'writes' });
  for (const endpoint of endpoints) {
    const request = await requestTo(
      endpoint,
      world,
      takesNewNames(endpoint) ? { params: { id: `k-${endpoint.id.toLowerCase()}` } } : {},
    );
    await app.call({
      ...request,
      key: world.key.key,
      headers: { ...request.headers, 'idempotency-key': endpoint.id },
    });
    if (endpoint.access !== 'read') await app.call({ ...request, key: asking.key });
  }
  await settle(app);
  const { audit, denials, activity } = app.services;
  await Promise.all([audit.flush(), denials.flush(), activity.flush()]);
}

/** All columns whose type can hold an id, with what the catalogue says of them. */
async function readColumns() {
  const { rows } = await sql<Column & { table: string; column: string; is_named: boolean }>`
    select c.relname as "table", a.attname as "column", c.relname || '.' || a.attname as place,
      col_description(c.oid, a.attnum) as comment,
      a.attname ~ '(^|_)api_key_ids?$' or a.attname = 'key_id' or exists (
        select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f'
          and f.confrelid = 'api_keys'::regclass and a.attnum = any (f.conkey)) as is_named
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and a.atttypid::regtype::text in ('text', 'text[]', 'jsonb', 'json', 'character varying')
    order by 1, a.attnum`.execute(app.services.db);
  return rows;
}

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
  await callEverything();
  for (const trial of Object.values(trials)) await trial(app);
  const all = await readColumns();
  const holding = new Set<string>();
  for (const { table, column, place } of all) {
    const { rows } = await sql`
      select from ${sql.table(table)} where ${sql.ref(column)}::text ~ '\\mkey_[0-9a-hjkmnp-tv-z]{26}\\M' limit 1`.execute(
      app.services.db,
    );
    if (rows.length > 0) holding.add(place);
  }
  columns = all.filter(({ place, is_named }) => is_named || holding.has(place));
}, 300_000);
afterAll(() => app.close());

const isRule = ({ comment }: Column): boolean => comment?.startsWith('API key rule: ') ?? false;
const isFact = ({ comment }: Column): boolean => comment?.startsWith('API key fact: ') ?? false;

describe('a column that holds ids of API keys', () => {
  it('is declared as a rule, which follows the roll of a key, or as a fact, which does not', () => {
    expect(columns.length).toBeGreaterThan(10);
    expect(columns.filter((column) => !isRule(column) && !isFact(column)).map(({ place }) => place)).toEqual(
      [],
    );
  });

  it('has a test if it is a rule', () => {
    expect(Object.keys(trials).sort()).toEqual(
      columns
        .filter(isRule)
        .map(({ place }) => place)
        .sort(),
    );
  });
});

describe('the rule', () => {
  it.each(Object.entries(trials))('%s applies to the replacement of a key', async (_, trial: Trial) => {
    const { before, after } = await trial(app);
    expect(after).toEqual(before);
  });
});
