import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreak, retireEntries } from '../kernel/audit/store.ts';
import type { Db, Tx } from '../store/database.ts';
import { fill } from './rows.ts';
import { callTo, createWorld, type World, writes } from './walk.ts';

/** The number of entries in the chain. */
let entries = 0;
let world: World;
let db: Db;
let account: string;

beforeAll(async () => {
  world = await createWorld();
  db = world.app.services.db;
  account = world.account.id;
  await fill(world, 6, 'chain');
  const head = db.selectFrom('audit_heads').select('sequence').where('account_id', '=', account);
  entries = (await head.executeTakeFirstOrThrow()).sequence;
});

afterAll(() => world.app.close());

/** Applies the change, checks the chain and rolls back. Returns the first broken entry, or null. */
async function breakAfter(tamper: (tx: Tx) => Promise<unknown>): Promise<number | null> {
  const tx = await db.startTransaction().execute();
  try {
    await tamper(tx);
    return await findBreak(tx, account);
  } finally {
    await tx.rollback().execute();
  }
}

const update = (tx: Tx, sequence: number, set: ReturnType<typeof sql>) =>
  sql`update audit_entries set ${set} where account_id = ${account} and sequence = ${sequence}`.execute(tx);

/** Changes that an attacker with write access to the database could make to one entry. */
const forgeries: Record<string, (tx: Tx, sequence: number) => Promise<unknown>> = {
  'another actor': (tx, n) => update(tx, n, sql`entry = jsonb_set(entry, '{actor,name}', '"somebody else"')`),
  'another time': (tx, n) =>
    update(tx, n, sql`entry = jsonb_set(entry, '{occurred_at}', '"2020-01-01T00:00:00.000Z"')`),
  'another change': (tx, n) =>
    update(tx, n, sql`entry = jsonb_set(entry, '{changes}', '[{"pointer":"/x","before":1,"after":2}]')`),
  'a member more': (tx, n) => update(tx, n, sql`entry = entry || '{"note":"nothing to see"}'`),
  'a member less': (tx, n) => update(tx, n, sql`entry = entry - 'client_ip'`),
  'another hash': (tx, n) => update(tx, n, sql`hash = sha256(hash)`),
  'another previous hash': (tx, n) => update(tx, n, sql`prev_hash = sha256(prev_hash)`),
  'hidden from the filter by outcome': (tx, n) =>
    update(tx, n, sql`outcome = case outcome when 'failed' then 'rejected' else 'failed' end`),
  'hidden from the filter by action': (tx, n) => update(tx, n, sql`action = 'getWhoami'`),
  'hidden from the filter by actor': (tx, n) => update(tx, n, sql`actor_id = 'nobody'`),
  'hidden from the filter by resource': (tx, n) => update(tx, n, sql`resource_id = 'nothing'`),
  'hidden from the filter by time': (tx, n) => update(tx, n, sql`occurred_at = '2020-01-01'`),
  'moved to another account': (tx, n) => update(tx, n, sql`account_id = account_id || 'x'`),
  removed: (tx, n) =>
    sql`delete from audit_entries where account_id = ${account} and sequence = ${n}`.execute(tx),
  'rewritten with a hash to match': (tx, n) => rewrite(tx, n, n),
  'rewritten with all that follow': (tx, n) => rewrite(tx, n, entries),
};

/** Changes entry `from` and recomputes the hashes from there up to entry `to`, as a forger would. */
async function rewrite(tx: Tx, from: number, to: number): Promise<void> {
  await update(tx, from, sql`entry = jsonb_set(entry, '{user_agent}', '"forged"')`);
  for (let n = from; n <= to; n++) {
    const { entry, prev_hash } = await tx
      .selectFrom('audit_entries')
      .select(['entry', 'prev_hash'])
      .where('account_id', '=', account)
      .where('sequence', '=', n)
      .executeTakeFirstOrThrow();
    const hash = createHash('sha256').update(prev_hash).update(canonical(entry)).digest();
    await update(tx, n, sql`hash = ${hash}`);
    if (n < to) await update(tx, n + 1, sql`prev_hash = ${hash}`);
  }
}

/** Canonical JSON, written from the documentation and not from the code: members sorted by name, no spaces. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

describe('the audit chain of an account', () => {
  it('is complete', async () => {
    expect(entries).toBeGreaterThan(10);
    expect(await findBreak(db, account)).toBeNull();
    expect(await breakAfter(async () => undefined)).toBeNull();
  });

  it.each(Object.entries(forgeries))(
    'reveals that an entry was %s, whichever entry it is',
    async (_, forge) => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: entries }), async (sequence) => {
          const found = await breakAfter(async (tx) => {
            await sql`set local session_replication_role = replica`.execute(tx);
            await forge(tx, sequence);
          });
          expect(found).not.toBeNull();
        }),
        { numRuns: 10, seed: 7, examples: [[1], [entries]] },
      );
    },
  );

  it('reveals that two entries were swapped', async () => {
    const place = fc.integer({ min: 1, max: entries });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(place, { minLength: 2, maxLength: 2 }), async ([a = 1, b = 2]) => {
        const found = await breakAfter(async (tx) => {
          await update(tx, a, sql`sequence = 1000`);
          await update(tx, b, sql`sequence = ${a}`);
          await update(tx, 1000, sql`sequence = ${b}`);
        });
        expect(found).toBe(Math.min(a, b));
      }),
      { numRuns: 20, seed: 7 },
    );
  });

  it('reveals an entry that was inserted into the table', async () => {
    const found = await breakAfter((tx) =>
      sql`insert into audit_entries
          select account_id, sequence + 1, id || 'x', occurred_at, actor_id, action, resource_id, outcome, entry, hash, hash
          from audit_entries where account_id = ${account} and sequence = ${entries}`.execute(tx),
    );
    expect(found).toBe(entries + 1);
  });

  it('reveals that all entries were removed', async () => {
    expect(
      await breakAfter((tx) => sql`delete from audit_entries where account_id = ${account}`.execute(tx)),
    ).toBe(1);
  });

  it('may begin later only if the removed entries were past their retention', async () => {
    const age = (tx: Tx, upTo: number) =>
      sql`update audit_entries set occurred_at = now() - interval '401 days'
          where account_id = ${account} and sequence <= ${upTo}`.execute(tx);
    for (const left of [3, entries]) {
      const swept = await breakAfter(async (tx) => {
        await age(tx, left);
        await retireEntries(tx);
      });
      expect(swept).toBeNull();
      const removed = await breakAfter(async (tx) => {
        await age(tx, left);
        await retireEntries(tx);
        await sql`delete from audit_entries where account_id = ${account} and sequence = ${left + 1}`.execute(
          tx,
        );
      });
      expect(removed).toBe(left === entries ? null : left + 2);
    }
  });
});

interface PublicEntry {
  readonly prev_hash: string;
  readonly hash: string;
  readonly request_id: string;
}

async function readLog(key: string): Promise<PublicEntry[]> {
  const entries: PublicEntry[] = [];
  for (let cursor = ''; ; ) {
    const url = `/account/v1/audit-log?sort=occurred_at&limit=7${cursor && `&cursor=${cursor}`}`;
    const { data, next_cursor } = (await world.app.call({ url, key })).json();
    entries.push(...data);
    if (next_cursor === null) return entries;
    cursor = next_cursor;
  }
}

describe('many concurrent writers', () => {
  it('keep the chain complete, and a client can verify it from the answers alone', async () => {
    const busy = await createWorld(world.app);
    // Leaves out flexible-vps, because its calls would create hundreds of machines at once.
    const light = writes.filter(({ family }) => family !== 'flexible-vps');
    const calls = Array.from({ length: 12 }, () => light).flat();
    const answers = await Promise.all(
      calls.flatMap((endpoint) => [
        callTo(endpoint, busy),
        callTo(endpoint, busy, { params: endpoint.example.params ?? {}, query: { no_such_parameter: 1 } }),
      ]),
    );
    const checks = await Promise.all([findBreak(db, busy.account.id), world.app.services.audit.flush()]);
    expect(checks[0]).toBeNull();
    expect(await findBreak(db, busy.account.id)).toBeNull();

    const log = await readLog(busy.key.key);
    expect(log.map((entry) => entry.request_id)).toEqual(
      expect.arrayContaining(answers.map(({ headers }) => headers['x-request-id'])),
    );
    let previous = '0'.repeat(64);
    for (const { prev_hash, hash, ...entry } of log) {
      expect(prev_hash).toBe(previous);
      const bytes = createHash('sha256').update(Buffer.from(prev_hash, 'hex')).update(canonical(entry));
      expect([entry, bytes.digest('hex')]).toEqual([entry, hash]);
      previous = hash;
    }
  });
});
