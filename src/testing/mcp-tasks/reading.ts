/** Tasks that only look. */
import { expect } from 'vitest';
import { find, ok, type Task } from './task.ts';

export const reading: readonly Task[] = [
  {
    name: 'say who I am and what I may do',
    calls: 1,
    tokens: 400,
    async run({ agent, account }) {
      expect((await ok(agent.call('get_context'))).account.id).toBe(account.id);
    },
  },
  {
    name: 'which of my machines is idle',
    calls: 3,
    tokens: 8_000,
    async run(desk) {
      const { agent, machines } = desk;
      await find(desk, 'which of my machines is idle', 'getVmMetrics');
      const fields = ['id', 'name', 'status'];
      const { data } = await ok(agent.call('call_read', { operation: 'listVms', fields }));
      const stopped = data.filter((row: { status: string }) => row.status === 'stopped');
      expect(stopped.map((row: { id: string }) => row.id)).toContain(machines.stopped.id);
      const query = { metrics: ['cpu'] };
      await ok(agent.call('call_read', { operation: 'getVmMetrics', path: { id: machines.web.id }, query }));
    },
  },
  {
    name: 'what is the address of web-1',
    calls: 2,
    tokens: 1_500,
    async run(desk) {
      await find(desk, 'what is the IP of my box', 'getVm');
      const query = { name: 'web-1' };
      const { data } = await ok(
        desk.agent.call('call_read', { operation: 'listVms', query, fields: ['primary_ipv4'] }),
      );
      expect(data).toHaveLength(1);
      expect(data[0].primary_ipv4).toMatch(/^\d+\./);
    },
  },
  {
    name: 'what do I spend this month',
    calls: 2,
    tokens: 2_000,
    async run(desk) {
      await find(desk, 'what is my bill so far', 'getUsage');
      const { data } = await ok(desk.agent.call('call_read', { operation: 'getUsage' }));
      expect(data.currency).toBe('EUR');
    },
  },
  {
    name: 'which machine costs most',
    calls: 2,
    tokens: 3_000,
    async run(desk) {
      await find(desk, 'everything I own sorted by price', 'listResources');
      const call = { operation: 'listResources', query: { type: 'vm' }, fields: ['id', 'name', 'price'] };
      expect((await ok(desk.agent.call('call_read', call))).data.length).toBeGreaterThanOrEqual(3);
    },
  },
  {
    name: 'how much would two more machines cost',
    calls: 2,
    tokens: 2_500,
    async run(desk) {
      await find(desk, 'what would two machines cost me', 'estimatePrice');
      const configuration = { location: 'fra1', plan: 'flex-2-4' };
      const body = { items: [{ ref: 'web', resource_type: 'vm', quantity: 2, configuration }] };
      const { data } = await ok(desk.agent.call('call_read', { operation: 'estimatePrice', body }));
      expect(JSON.stringify(data)).toContain('monthly');
    },
  },
  {
    name: 'where can machines run',
    calls: 2,
    tokens: 2_500,
    async run(desk) {
      await find(desk, 'available regions', 'listVpsLocations');
      const { data } = await ok(
        desk.agent.call('call_read', { operation: 'listVpsLocations', fields: ['slug'] }),
      );
      expect(data.map((row: { slug: string }) => row.slug)).toContain('fra1');
    },
  },
  {
    name: 'the cheapest plan with 8 GB',
    calls: 2,
    tokens: 4_000,
    async run(desk) {
      await find(desk, 'cheapest server with 8 GB of RAM', 'listVpsPlans');
      const fields = ['slug', 'memory_mb', 'locations'];
      const { data } = await ok(desk.agent.call('call_read', { operation: 'listVpsPlans', fields }));
      expect(data.some((row: { memory_mb: number }) => row.memory_mb >= 8192)).toBe(true);
    },
  },
  {
    name: 'is there a Debian image',
    calls: 2,
    tokens: 2_000,
    async run(desk) {
      await find(desk, 'is there a debian template', 'listImages');
      const { data } = await ok(desk.agent.call('call_read', { operation: 'listImages', fields: ['slug'] }));
      expect(data).toContainEqual({ id: 'debian-12', slug: 'debian-12' });
    },
  },
  {
    name: 'why did the machine not boot',
    calls: 2,
    tokens: 7_000,
    async run(desk) {
      await find(desk, 'show the boot messages of my server', 'getVmConsoleLog');
      const path = { id: desk.machines.web.id };
      const { data } = await ok(desk.agent.call('call_read', { operation: 'getVmConsoleLog', path }));
      expect(data.customer_text.lines.length).toBeGreaterThan(0);
    },
  },
  {
    name: 'what happened to web-1',
    calls: 2,
    tokens: 7_000,
    async run(desk) {
      await find(desk, 'what happened in the last hour', 'listEvents');
      const query = { resource_id: desk.machines.web.id };
      const { data } = await ok(desk.agent.call('call_read', { operation: 'listEvents', query }));
      expect(data.length).toBeGreaterThan(0);
    },
  },
  {
    name: 'who created db-1',
    calls: 2,
    tokens: 7_000,
    async run(desk) {
      await find(desk, 'who changed what and when', 'listAuditEntries');
      const query = { resource_id: desk.machines.db.id };
      const { data } = await ok(desk.agent.call('call_read', { operation: 'listAuditEntries', query }));
      expect(data[0].action).toBe('createVm');
    },
  },
  {
    name: 'how many machines may I still create',
    calls: 2,
    tokens: 3_500,
    async run(desk) {
      await find(desk, 'how many servers may I have at most', 'listLimits');
      const query = { family: 'flexible-vps' };
      const call = { operation: 'listLimits', query, limit: 100, fields: ['id', 'limit', 'used'] };
      const { data } = await ok(desk.agent.call('call_read', call));
      expect(JSON.stringify(data)).toContain('flexible-vps.vms');
    },
  },
  {
    name: 'page through a list',
    calls: 2,
    tokens: 3_000,
    async run({ agent }) {
      const call = { operation: 'listImages', limit: 5, fields: ['slug'] };
      const first = await ok(agent.call('call_read', call));
      const second = await ok(agent.call('call_read', { ...call, cursor: first.next_cursor }));
      expect(first.data).toHaveLength(5);
      expect(second.data[0]).not.toEqual(first.data[0]);
    },
  },
  {
    name: 'read many machines in full, within the budget',
    calls: 1,
    tokens: 6_000,
    async run({ agent }) {
      const answer = await ok(agent.call('call_read', { operation: 'listVms', limit: 200 }));
      expect(answer.truncated.members_left_out.length).toBeGreaterThan(0);
    },
  },
];
