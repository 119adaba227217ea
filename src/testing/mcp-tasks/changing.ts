/** Tasks that change something: each takes at most three calls for one write. */
import { expect } from 'vitest';
import { find, newMachine, ok, refused, type Task } from './task.ts';

export const changing: readonly Task[] = [
  {
    name: 'make a web server',
    calls: 3,
    tokens: 4_500,
    async run(desk) {
      const { agent } = desk;
      await find(desk, 'spin up a new server', 'createVm');
      await ok(agent.call('describe_operations', { ids: ['createVm'] }));
      const body = newMachine('task-web');
      const { data } = await ok(agent.call('call_write', { operation: 'createVm', body, wait_seconds: 60 }));
      expect((await desk.read(`vms/${data.id}`)).status).toBe('running');
    },
  },
  {
    name: 'say what a machine would cost, without ordering it',
    calls: 2,
    tokens: 2_000,
    async run(desk) {
      await find(desk, 'order a virtual machine', 'createVm');
      const call = { operation: 'createVm', body: newMachine('task-dry'), dry_run: true };
      expect(Number((await ok(desk.agent.call('call_write', call))).price.monthly)).toBeGreaterThan(0);
      expect((await desk.read('vms?name=task-dry')).data).toEqual([]);
    },
  },
  {
    name: 'make a web server with a snapshot before the change',
    calls: 4,
    tokens: 6_000,
    async run(desk) {
      const { agent } = desk;
      const { id } = await desk.machine('task-change');
      await find(desk, 'save the state of the server before I upgrade', 'createVmSnapshot');
      const taken = {
        operation: 'createVmSnapshot',
        path: { id },
        body: { name: 'before' },
        wait_seconds: 60,
      };
      await ok(agent.call('call_write', taken));
      await find(desk, 'change the labels of a machine', 'updateVm');
      await ok(
        agent.call('call_write', { operation: 'updateVm', path: { id }, body: { labels: { role: 'web' } } }),
      );
      expect((await desk.read(`vms/${id}`)).labels).toEqual({ role: 'web' });
      expect((await desk.read(`vms/${id}/snapshots`)).data).toHaveLength(1);
    },
  },
  {
    name: 'restart a machine and wait for it',
    calls: 3,
    tokens: 3_500,
    async run(desk) {
      await find(desk, 'reboot my server', 'performVmAction');
      const path = { id: desk.machines.web.id };
      const call = { operation: 'performVmAction', path, body: { type: 'restart' } };
      const { operation } = await ok(desk.agent.call('call_write', call));
      const waited = await ok(
        desk.agent.call('wait_operations', { operation_ids: [operation.id], timeout_seconds: 60 }),
      );
      expect(waited).toMatchObject({ all_done: true, operations: [{ status: 'succeeded' }] });
    },
  },
  {
    name: 'start the machine that is stopped, and stop it again',
    calls: 3,
    tokens: 5_000,
    async run(desk) {
      const path = { id: desk.machines.stopped.id };
      await find(desk, 'turn the machine on', 'performVmAction');
      for (const type of ['power_on', 'shutdown'])
        await ok(
          desk.agent.call('call_write', {
            operation: 'performVmAction',
            path,
            body: { type },
            wait_seconds: 60,
          }),
        );
      expect((await desk.read(`vms/${path.id}`)).status).toBe('stopped');
    },
  },
  {
    name: 'give a machine more memory',
    calls: 2,
    tokens: 3_000,
    async run(desk) {
      const { id } = await desk.machine('task-grow');
      await find(desk, 'more RAM for the box', 'resizeVm');
      const body = { plan: 'flex-2-4', mode: 'cold' };
      await ok(
        desk.agent.call('call_write', { operation: 'resizeVm', path: { id }, body, wait_seconds: 60 }),
      );
      expect((await desk.read(`vms/${id}`)).plan).toBe('flex-2-4');
    },
  },
  {
    name: 'rename a machine without overwriting the change of somebody else',
    calls: 3,
    tokens: 4_000,
    async run(desk) {
      const { id } = await desk.machine('task-name');
      await find(desk, 'rename a server', 'updateVm');
      const { data } = await ok(
        desk.agent.call('call_read', { operation: 'getVm', path: { id }, fields: ['etag'] }),
      );
      const call = {
        operation: 'updateVm',
        path: { id },
        body: { name: 'task-renamed' },
        if_match: data.etag,
      };
      await ok(desk.agent.call('call_write', call));
      expect((await desk.read(`vms/${id}`)).name).toBe('task-renamed');
    },
  },
  {
    name: 'store an SSH key',
    calls: 2,
    tokens: 1_500,
    async run(desk) {
      await find(desk, 'upload my public key', 'createVpsSshKey');
      const public_key =
        'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl task';
      await ok(
        desk.agent.call('call_write', {
          operation: 'createVpsSshKey',
          body: { name: 'task-key', public_key },
        }),
      );
      expect((await desk.read('ssh-keys?name=task-key')).data).toHaveLength(1);
    },
  },
  {
    name: 'make a private network and connect a machine to it',
    calls: 4,
    tokens: 5_000,
    async run(desk) {
      const { agent, machines } = desk;
      await find(desk, 'make a private network between my servers', 'createVpsNetwork');
      const body = { name: 'task-net', location: 'fra1', ipv4_cidr: '10.77.0.0/24' };
      const { data } = await ok(
        agent.call('call_write', { operation: 'createVpsNetwork', body, wait_seconds: 60 }),
      );
      await find(desk, 'connect a server to a private network', 'attachVmInterface');
      const attach = {
        operation: 'attachVmInterface',
        path: { id: machines.db.id },
        body: { network_id: data.id },
      };
      await ok(agent.call('call_write', { ...attach, wait_seconds: 60 }));
      const { interfaces } = await desk.read(`vms/${machines.db.id}`);
      expect(JSON.stringify(interfaces)).toContain(data.id);
    },
  },
  {
    name: 'keep two machines on different hosts',
    calls: 2,
    tokens: 1_500,
    async run(desk) {
      await find(desk, 'keep two servers on different hosts', 'createPlacementGroup');
      const body = { name: 'task-apart', location: 'fra1', policy: 'spread' };
      await ok(desk.agent.call('call_write', { operation: 'createPlacementGroup', body }));
      expect((await desk.read('placement-groups?name=task-apart')).data).toHaveLength(1);
    },
  },
  {
    name: 'warn me when the costs go over 500',
    calls: 3,
    tokens: 2_500,
    async run(desk) {
      await find(desk, 'warn me when costs go over 500', 'setBudget');
      await ok(desk.agent.call('describe_operations', { ids: ['setBudget'] }));
      const body = { amount: '500.00', thresholds: [{ percent: 100 }] };
      await ok(desk.agent.call('call_write', { operation: 'setBudget', path: { id: 'task-budget' }, body }));
      expect(JSON.stringify(await desk.read('/account/v1/budgets'))).toContain('task-budget');
    },
  },
  {
    name: 'delete one machine, after a look at what is lost',
    calls: 3,
    tokens: 3_000,
    async run(desk) {
      const { id } = await desk.machine('task-gone');
      await find(desk, 'destroy a server', 'deleteVm');
      const call = { operation: 'deleteVm', path: { id }, wait_seconds: 60 };
      const { confirm_with } = await refused(
        desk.agent.call('call_destructive', call),
        'confirmation_required',
      );
      await ok(desk.agent.call('call_destructive', { ...call, confirm: confirm_with }));
      expect((await desk.read('vms?name=task-gone')).data).toEqual([]);
    },
  },
  {
    name: 'reinstall a machine, whose own call wants its name',
    calls: 3,
    tokens: 3_500,
    async run(desk) {
      const { id } = await desk.machine('task-again');
      await find(desk, 'reinstall the operating system of my box', 'redeployVm');
      const call = {
        operation: 'redeployVm',
        path: { id },
        body: { image_id: 'debian-12' },
        wait_seconds: 60,
      };
      const { confirm_with } = await refused(
        desk.agent.call('call_destructive', call),
        'confirmation_required',
      );
      await ok(desk.agent.call('call_destructive', { ...call, confirm: confirm_with }));
      expect((await desk.read(`vms/${id}`)).image.slug).toBe('debian-12');
    },
  },
  {
    name: 'delete everything labelled test',
    calls: 6,
    tokens: 6_000,
    async run(desk) {
      const { agent } = desk;
      await desk.machine('test-a', { env: 'test' });
      await desk.machine('test-b', { env: 'test' });
      await find(desk, 'find all things labelled test', 'listResources');
      const list = {
        operation: 'listResources',
        query: { label_selector: 'env=test' },
        fields: ['id', 'name', 'type'],
      };
      const { data } = await ok(agent.call('call_read', list));
      for (const { id } of data) {
        const call = { operation: 'deleteVm', path: { id } };
        const { confirm_with } = await refused(agent.call('call_destructive', call), 'confirmation_required');
        await ok(agent.call('call_destructive', { ...call, confirm: confirm_with, wait_seconds: 60 }));
      }
      expect((await desk.read('vms?label_selector=env%3Dtest')).data).toEqual([]);
      expect((await desk.read('vms?name=web-1')).data).toHaveLength(1);
    },
  },
  {
    name: 'stop several machines at once',
    calls: 2,
    tokens: 2_500,
    async run(desk) {
      const machines = [await desk.machine('task-many-a'), await desk.machine('task-many-b')];
      await find(desk, 'turn off several boxes together', 'performBulkVmAction');
      const body = { type: 'shutdown', vm_ids: machines.map(({ id }) => id) };
      await ok(desk.agent.call('call_write', { operation: 'performBulkVmAction', body, wait_seconds: 60 }));
      for (const { id } of machines) expect((await desk.read(`vms/${id}`)).status).toBe('stopped');
    },
  },
];
