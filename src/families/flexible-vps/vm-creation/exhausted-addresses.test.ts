/** Locations whose pools have no public address of one version left. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';

/** Has one IPv4 address, and plenty of IPv6 prefixes. */
const ONE_IPV4 = 'ams1';
/** Has one IPv6 prefix, and plenty of IPv4 addresses. */
const ONE_IPV6 = 'hel1';
const ROOMY = { location: 'fra1', plan: 'flex-2-4' };

let app: TestApp;
let holder: VpsAccount;
let other: VpsAccount;

beforeAll(async () => {
  app = await createTestApp({
    provider: ({ catalogue, ...config }) => ({
      ...config,
      catalogue: {
        ...catalogue,
        address_pools: catalogue.address_pools.map((pool) =>
          pool.slug === `${ONE_IPV4}-ipv4`
            ? { ...pool, cidr: '198.51.100.0/30' }
            : pool.slug === `${ONE_IPV6}-ipv6`
              ? { ...pool, cidr: '2001:db8:300::/64' }
              : pool,
        ),
      },
    }),
  });
  [holder, other] = [await VpsAccount.open(app), await VpsAccount.open(app)];
});
afterAll(() => app.close());

let serial = 0;
async function refused(location: string) {
  const answer = await other.send('POST', 'vms', {
    name: `refused-${++serial}`,
    location,
    plan: 'flex-2-4',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
  });
  expect(answer.json(), answer.body).toMatchObject({ status: 409, code: 'capacity_unavailable' });
  return { problem: answer.json<Record<string, unknown>>(), retryAfter: answer.headers['retry-after'] };
}

it.each([
  [ONE_IPV4, 'IPv4 address', 'set public_ipv4.mode to none'],
  [ONE_IPV6, 'IPv6 prefix', 'set public_ipv6 to false'],
])(
  'in %s: without Retry-After while all are in use, and with it once one is released',
  async (location, what, way) => {
    const vm = await holder.vm({ location });
    const now = await refused(location);
    expect(now.retryAfter).toBeUndefined();
    expect(now.problem).toMatchObject({
      detail: `No public ${what} is left in ${location} at the moment.`,
      next_step: `Choose one of the alternatives if there are any, or ${way}.`,
      alternatives: expect.arrayContaining([ROOMY]),
    });
    expect(now.problem['retry_after_seconds']).toBeUndefined();

    await holder.do('DELETE', `vms/${vm.id}`);
    const soon = await refused(location);
    expect(soon.retryAfter).toBe('86400');
    expect(soon.problem['next_step']).toMatch(/Retry-After/);
  },
);
