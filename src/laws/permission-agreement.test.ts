/** The 403 of an endpoint, `my-apis` and `whoami` all report what a key may do, and must agree for every key. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { roleNames } from '../kernel/access/roles.ts';
import { createAccount, createKey, createMember } from '../testing/accounts.ts';
import { outcomeOf } from './responses.ts';
import { isImplicit, mayOwn } from './role-ceilings.ts';
import { sample } from './sample.ts';
import { callTo, createWorld, endpoints, type World } from './walk.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.app.close());

const families = [...new Set(endpoints.map(({ family }) => family))];
const triples = [...new Set(endpoints.map(({ permission }) => permission))];
const segment = (at: number) => [...new Set(triples.map((triple) => triple.split(':')[at] ?? '')), '*'];
const pattern = fc.oneof(
  fc.constantFrom(...triples),
  fc
    .tuple(...([0, 1, 2] as const).map((at) => fc.constantFrom(...segment(at))))
    .map((segments) => segments.join(':')),
);
const holder = fc.record({
  patterns: fc.array(pattern, { maxLength: 12 }),
  role: fc.constantFrom(...roleNames),
  off: fc.subarray(families),
  status: fc.constantFrom('active', 'restricted', 'suspended', 'closing' as const),
});

interface ApiAccess {
  readonly operation_id: string;
  readonly allowed: boolean;
  readonly denied_by: string[];
}

async function makeHolder({
  patterns,
  role,
  off,
  status,
}: typeof holder extends fc.Arbitrary<infer H> ? H : never) {
  const { db } = world.app.services;
  const account = await createAccount(db, { status });
  const owner = await createMember(db, account.id, role);
  if (off.length > 0) {
    await db
      .updateTable('account_products')
      .set({ enabled: false })
      .where('account_id', '=', account.id)
      .where('family', 'in', off)
      .execute();
  }
  return createKey(db, account, { owner_id: owner, permissions: patterns });
}

it('whoami and the permission check agree for every endpoint, pattern, role, product and status', async () => {
  await fc.assert(
    fc.asyncProperty(holder, async (made) => {
      const { key } = await makeHolder(made);
      const whoami = await world.app.call({ url: '/account/v1/whoami', key });
      const mine = await world.app.call({ url: '/account/v1/my-apis', key });
      const rows = new Map(mine.json<{ data: ApiAccess[] }>().data.map((row) => [row.operation_id, row]));
      expect([...rows.keys()]).toEqual(endpoints.map(({ id }) => id));

      for (const endpoint of sample(endpoints)) {
        const query = endpoint.access === 'read' ? {} : { dry_run: true };
        const response = await callTo(endpoint, world, { key, params: endpoint.example.params ?? {}, query });
        const isRefused = response.statusCode === 403;
        expect({
          endpoint: endpoint.id,
          allowed: !isRefused,
          denied_by: isRefused ? response.json().denied_by : [],
        }).toEqual({
          endpoint: endpoint.id,
          allowed: rows.get(endpoint.id)?.allowed,
          denied_by: rows.get(endpoint.id)?.denied_by,
        });
        expect([endpoint.id, outcomeOf(response)]).not.toEqual([endpoint.id, expect.stringMatching(/^5/)]);
        const byRole = isImplicit(endpoint.permission) || mayOwn(made.role, endpoint.permission);
        expect([endpoint.id, rows.get(endpoint.id)?.denied_by.includes('role')]).toEqual([
          endpoint.id,
          !byRole,
        ]);
      }

      const effective = endpoints
        .filter(({ id }) => rows.get(id)?.allowed)
        .map(({ permission }) => permission);
      expect(whoami.json().effective_permissions).toEqual([...new Set(effective)].sort());
    }),
    { numRuns: 40, seed: 20260301 },
  );
});
