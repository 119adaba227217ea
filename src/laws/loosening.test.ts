/**
 * A dry run marks the changes that open more than before or take a protection away, and only those: of two settings of
 * a resource, the way from the tight one to the loose one loosens, the way back does not. A key that needs approval for
 * destructive calls needs it for the one way and not for the other.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForeseenChange } from '../kernel/change-words/change-words.ts';
import { membersOf } from '../kernel/managed-resource.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createKey, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { outcomeOf } from './responses.ts';
import { sample, sampleBy } from './sample.ts';
import { createWorld, endpoints, type Params, paramsFor, urlOf, type World } from './walk.ts';

let app: TestApp;
let world: World;

/** Needs approval for destructive calls. One for each test, because only so many requests of a key may wait. */
const carefulKey = (): Promise<TestKey> =>
  createKey(app.services.db, world.account, { approval: 'destructive' });

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});
afterAll(() => app.close());

interface Pair {
  readonly tight: object;
  readonly loose: object;
}

const allow = (rule: object) => ({ direction: 'in', action: 'allow', protocol: 'tcp', ...rule });
const OFFICE = '203.0.113.0/24';
const rules = (tight: readonly object[], loose: readonly object[]): Pair => ({
  tight: { rules: tight },
  loose: { rules: loose },
});
const LIMIT = { amount: '100.00', thresholds: [{ percent: 80 }], action: 'block_new_cost' };
const budget = (tight: object, loose: object): Pair => ({
  tight: { ...LIMIT, ...tight },
  loose: { ...LIMIT, ...loose },
});
const protection = (member: string): Pair => ({
  tight: { protection: { [member]: true } },
  loose: { protection: { [member]: false } },
});
const retention = (tight: object, loose: object): Pair => ({
  tight: { retention: tight },
  loose: { retention: loose },
});

/** By endpoint id and title. */
const pairs: Readonly<Record<string, Readonly<Record<string, Pair>>>> = {
  updateVpsFirewall: {
    'a rule is added': rules([], [allow({ ports: ['22'] })]),
    'ports are widened': rules([allow({ ports: ['22'] })], [allow({ ports: ['1-65535'] })]),
    'remotes are widened': rules([allow({ remote_cidrs: [OFFICE] })], [allow({ remote_cidrs: [] })]),
    'a protocol is widened': rules([allow({})], [allow({ protocol: 'any' })]),
    'a rule that drops is removed': rules(
      [allow({}), { ...allow({ ports: ['25'] }), action: 'drop' }],
      [allow({})],
    ),
    'a rule is enabled': rules([allow({ enabled: false })], [allow({ enabled: true })]),
    'the default lets in': { tight: { default_in: 'drop' }, loose: { default_in: 'allow' } },
    'the default lets out': { tight: { default_out: 'drop' }, loose: { default_out: 'allow' } },
  },
  setBudget: {
    'the amount is raised': budget({}, { amount: '200.00' }),
    'it no longer blocks': budget({}, { action: 'notify' }),
    'it no longer looks ahead': budget({ blocks: 'forecast' }, { blocks: 'spent' }),
    'a threshold is removed': budget({ thresholds: [{ percent: 50 }, { percent: 80 }] }, {}),
    'it covers less': budget({}, { scope: { families: ['flexible-vps'] } }),
  },
  updateBackupPolicy: {
    'fewer backups are kept': retention({ keep_last: 14 }, { keep_last: 3 }),
    'backups are kept for a shorter time': retention({ keep_days: null }, { keep_days: 10 }),
    'it is disabled': { tight: { enabled: true }, loose: { enabled: false } },
    'backups are made less often': {
      tight: { schedule: { frequency: 'daily', hour: 2 } },
      loose: { schedule: { frequency: 'weekly', weekday: 'sun', hour: 2 } },
    },
  },
  updateVm: {
    'its protection against deletion is removed': protection('delete'),
    'its protection against redeployment is removed': protection('redeploy'),
    'it runs other user data': { tight: { user_data: null }, loose: { user_data: '#cloud-config\n' } },
  },
  updateAddress: { 'its protection is removed': protection('delete') },
  updateVpsVolume: { 'its protection is removed': protection('delete') },
  updateVpsNetwork: {
    'its protection is removed': protection('delete'),
    'a route is added': {
      tight: { routes: [] },
      loose: { routes: [{ destination: '192.168.50.0/24', next_hop: '10.10.0.20' }] },
    },
    'another DNS server answers': {
      tight: { dns: { servers: [] } },
      loose: { dns: { servers: ['10.10.0.20'] } },
    },
    'NAT is switched on': { tight: { nat: { ipv4: false } }, loose: { nat: { ipv4: true } } },
  },
  updateVpnGateway: {
    'its protection is removed': protection('delete'),
    'another DNS server answers': { tight: { dns_servers: [] }, loose: { dns_servers: ['10.10.0.20'] } },
  },
  updateVmInterface: {
    'the protection against spoofed addresses is removed': {
      tight: { anti_spoofing: true },
      loose: { anti_spoofing: false },
    },
  },
  updateVpnPeer: {
    'it may connect again': { tight: { enabled: false }, loose: { enabled: true } },
    'it may connect longer': { tight: { expires_at: '2099-01-01T00:00:00Z' }, loose: { expires_at: null } },
  },
};

const cases = Object.entries(pairs).flatMap(([id, titled]) =>
  Object.entries(titled).map(([title, pair]) => ({ id, title, ...pair })),
);

const byId = (id: string): Endpoint => endpoints.find((each) => each.id === id)!;

async function send(
  id: string,
  params: Params,
  payload: object,
  query: object = {},
  by: TestKey = world.key,
) {
  const endpoint = byId(id);
  const url = urlOf(endpoint, params, { ...query });
  const answer = await app.call({ method: endpoint.method, url, payload, key: by.key });
  if (by === world.key) expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer;
}

async function loosenings(id: string, params: Params, payload: object): Promise<string[]> {
  const answer = await send(id, params, payload, { dry_run: true });
  const { changes } = answer.json<{ changes: ForeseenChange[] }>();
  expect(changes).not.toEqual([]);
  return changes.filter(({ loosens }) => loosens).map(({ text }) => text);
}

describe.each(sampleBy(cases, ({ id }) => byId(id)))('$id, if $title,', ({ id, tight, loose }) => {
  it('is marked as loosening, and the reverse change is not', async () => {
    const params = await paramsFor(byId(id), world);
    await send(id, params, tight);
    await settle(app);
    const said = await loosenings(id, params, loose);
    expect(said).not.toEqual([]);
    const careful = await carefulKey();
    const asked = await send(id, params, loose, {}, careful);
    expect(outcomeOf(asked)).toBe('409 approval_required');
    expect(asked.json().detail).toContain(said[0]);
    await send(id, params, loose);
    await settle(app);
    expect(await loosenings(id, params, tight)).toEqual([]);
    expect((await send(id, params, tight, {}, careful)).statusCode).toBeLessThan(300);
  });
});

it('every update of a resource with a protection is tested', () => {
  const protecting = endpoints.filter(
    ({ resource, body }) =>
      resource.role === 'update' && 'protection' in ((body as { properties?: object })?.properties ?? {}),
  );
  expect(protecting.length).toBeGreaterThan(2);
  for (const { id } of protecting) expect(Object.keys(pairs[id] ?? {}).join(), id).toContain('protection');
});

describe('a label that a budget goes by', () => {
  const labelled = endpoints.filter(
    ({ resource, body }) => resource.role === 'update' && Object.hasOwn(membersOf(body), 'labels'),
  );
  const CAPPED = { tier: 'capped' };

  beforeAll(async () => {
    await send('setBudget', { id: 'by-label' }, { ...LIMIT, scope: { label_selector: 'tier=capped' } });
  });

  it('can be taken from several types of resources', () => {
    expect(labelled.length).toBeGreaterThan(5);
  });

  it.each(sample(labelled))(
    'loosens the budget if $id takes it from a resource with a price',
    async (endpoint) => {
      const params = await paramsFor(endpoint, world);
      const id = Object.values(params).at(-1) ?? '';
      await send(endpoint.id, params, { labels: CAPPED });
      await settle(app);
      const [entry] = await app.services.db
        .selectFrom('resources')
        .select('configuration')
        .where('id', '=', id)
        .execute();
      const costs = entry !== undefined && entry.configuration !== null;
      const careful = await carefulKey();
      for (const value of [null, 'free']) {
        const labels = { tier: value };
        const said = await loosenings(endpoint.id, params, { labels });
        const left = said.filter((text) =>
          text.includes('out of the budget "by-label", which blocks new cost'),
        );
        expect(left.length).toBe(costs ? 1 : 0);
        const asked = await send(endpoint.id, params, { labels }, {}, careful);
        if (costs) expect(outcomeOf(asked)).toBe('409 approval_required');
      }
      expect(await loosenings(endpoint.id, params, { labels: { team: 'a' } })).toEqual([]);
    },
  );
});
