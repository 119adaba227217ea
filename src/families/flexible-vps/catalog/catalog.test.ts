import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { capacityOf, hasRoom } from './capacity.ts';
import { type SoldPlan, soldPlans, statusOf } from './sold-plans.ts';

let t: TestApp;
let key: string;

beforeAll(async () => {
  t = await createTestApp();
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
});
afterAll(() => t.close());

const get = async (path: string) => (await t.call({ url: `/flexible-vps/v1/${path}`, key })).json();
const slugs = async (query: string): Promise<string[]> =>
  (await get(`plans?limit=200&${query}`)).data.map(({ slug }: { slug: string }) => slug);

describe('listVpsLocations', () => {
  it('200: lists the locations with their status and features', async () => {
    const { data } = await get('locations');
    expect(data.map(({ slug, status }: { slug: string; status: string }) => [slug, status])).toEqual([
      ['ams1', 'available'],
      ['fra1', 'available'],
      ['hel1', 'available'],
    ]);
    expect(data[0]).toMatchObject({
      architectures: ['amd64'],
      features: ['ipv6', 'volumes', 'vpn', 'live_resize'],
    });
  });

  it('has less availability the less fits on any host, and never more than the provider configured', () => {
    const { catalogue } = t.services.provider;
    const plans = soldPlans(catalogue, new Date());
    const fra1 = catalogue.locations.find(({ slug }) => slug === 'fra1')!;
    const host = (vcpus: number, memoryMb: number) => {
      const size = { vcpus, memoryMb, diskGb: 1000 };
      return [{ host: 'a', total: size, free: size }];
    };
    expect(statusOf(fra1, plans, host(64, 65_536))).toBe('available');
    expect(statusOf(fra1, plans, host(4, 8192))).toBe('limited');
    expect(statusOf(fra1, plans, host(1, 256))).toBe('full');
    expect(statusOf(fra1, plans, null)).toBe('available');
    expect(statusOf({ ...fra1, status: 'limited' }, plans, host(64, 65_536))).toBe('limited');
    expect(statusOf({ ...fra1, status: 'maintenance' }, plans, host(1, 256))).toBe('maintenance');
  });

  it('does not wait for an engine that does not answer', async () => {
    const engine = t.services.compute.at('hel1') as Sandbox;
    await addFault(t.services.db, { location: 'hel1', call: 'readCapacity', effect: { kind: 'hang' } });
    const strange = Object.assign(Object.create(engine), {}) as Sandbox;
    expect(await capacityOf(strange)).toBeNull();
    await clearFaults(t.services.db);
    expect(hasRoom(null, { vcpus: 1, memoryMb: 1, diskGb: 1 })).toBe(true);
  });
});

describe('listVpsPlans', () => {
  it('200: has the same prices as the estimate in every location', async () => {
    const { data } = await get('plans?limit=200');
    for (const plan of data) {
      for (const { location, price } of plan.locations) {
        const size = { vcpus: plan.vcpus, memory_mb: plan.memory_mb, disk_gb: plan.disk_gb };
        const what = plan.slug === 'custom' ? { custom_size: size } : { plan: plan.slug };
        const configuration = { location, ...what, public_ipv4: { mode: 'none' } };
        const payload = { items: [{ resource_type: 'vm', configuration }] };
        const { totals } = (
          await t.call({ method: 'POST', url: '/account/v1/pricing/estimate', key, payload })
        ).json();
        expect([plan.slug, location, price]).toEqual([
          plan.slug,
          location,
          { hourly: totals.hourly, monthly: totals.monthly, currency: 'EUR' },
        ]);
      }
    }
  });

  it('200: filters plans, and shows the limits of custom sizes', async () => {
    expect(await slugs('category=custom')).toEqual(['custom']);
    expect(await slugs('architecture=arm64')).toEqual(['flex-2-4a', 'flex-4-8a', 'flex-8-16a']);
    expect(await slugs('location=ams1')).not.toContain('flex-16-32d');
    expect(await slugs('location=mars1')).toEqual([]);
    expect(await slugs('available_in=fra1')).toContain('flex-16-32d');
    const [custom] = (await get('plans?category=custom&location=fra1')).data;
    expect(custom).toMatchObject({
      custom_limits: { vcpus: { min: 1, max: 32, step: 1 }, memory_mb_per_vcpu: { min: 512 } },
      locations: [{ location: 'fra1', available: true }],
      resize: null,
    });
  });

  it('200: says for each plan whether a machine can be resized to it', async () => {
    const source = { type: 'image', image_id: 'debian-13' };
    const payload = { name: 'web', location: 'fra1', plan: 'flex-2-4', source };
    const { id } = (await t.call({ method: 'POST', url: '/flexible-vps/v1/vms', key, payload })).json();
    await settle(t);
    const { data } = await get(`plans?limit=200&resize_for=${id}`);
    const of = (slug: string) => data.find((plan: SoldPlan) => plan.slug === slug).resize;
    expect(of('flex-2-4')).toEqual({ allowed: false, mode: null, reason_code: 'current_plan' });
    expect(of('flex-2-4a')).toMatchObject({ allowed: false, reason_code: 'incompatible' });
    expect(of('flex-4-8')).toEqual({ allowed: true, mode: 'live', reason_code: null });
    expect(of('flex-1-1')).toEqual({ allowed: true, mode: 'cold', reason_code: null });
    const none = await t.call({
      url: `/flexible-vps/v1/plans?resize_for=${id.slice(0, -1)}${id.endsWith('0') ? 1 : 0}`,
      key,
    });
    expect(none.statusCode).toBe(422);
    expect(none.json().errors[0]).toMatchObject({ pointer: 'query/resize_for', code: 'unknown_reference' });
  });
});
