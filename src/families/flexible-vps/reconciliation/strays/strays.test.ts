import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../../engines/compute/sandbox/store.ts';
import { runCommand, urlOf } from '../../../../testing/command-line.ts';
import { MachineRoom } from '../../../../testing/machine-room.ts';
import { settle } from '../../../../testing/operations.ts';

let room: MachineRoom;
beforeAll(async () => {
  room = await MachineRoom.open();
});
afterAll(() => room.close());

const SIZE = { vcpus: 1, memoryMb: 1024, diskGb: 20 };

async function appear(id: string): Promise<void> {
  await room.engine.ensureInstance(room.ref(id), {
    source: { image: { account: null, id: 'ubuntu-24.04' } },
    architecture: 'amd64',
    size: SIZE,
    nics: [],
    guest: { seed: id, hostname: 'stray', userData: null, sshKeys: [], passwordHash: null },
    bootMode: 'uefi',
    secureBoot: false,
    placement: null,
  });
}

const warnings = (id: string): string[] =>
  room.app.logged.filter((line) => line.includes('nobody owns') && line.includes(id));

async function gauge(): Promise<string | undefined> {
  const rendered = await room.app.services.metrics.render();
  return rendered.split('\n').find((line) => line.startsWith('hostplane_engine_strays '));
}

async function doctor() {
  const env = { HOSTPLANE_PORT: '0', HOSTPLANE_DATABASE_URL: urlOf(room.app.database.connection) };
  const { out } = await runCommand(['doctor', '--json'], { env });
  const { checks } = JSON.parse(out) as { checks: { name: string }[] };
  return checks.find(({ name }) => name === 'Stray machines');
}

describe('a machine that nobody owns', () => {
  it('is logged once, counted and shown to the operator, and never removed', async () => {
    await room.create();
    await room.look();
    expect(await gauge()).toBe('hostplane_engine_strays 0');
    expect(await doctor()).toMatchObject({ status: 'ok' });
    await appear('vm_stray');
    await room.look();
    await Promise.all([room.look(), room.look()]);
    expect(warnings('vm_stray')).toHaveLength(1);
    expect(await gauge()).toBe('hostplane_engine_strays 1');
    expect(await doctor()).toMatchObject({
      status: 'failed',
      detail: 'Engines have machines that nobody owns: 1 in fra1, such as vm_stray.',
      fix: expect.stringContaining('never done for you'),
    });
    expect(await room.engine.observeInstance(room.ref('vm_stray'))).not.toBeNull();
    await room.engine.removeInstance(room.ref('vm_stray'));
    await room.look();
    expect(await gauge()).toBe('hostplane_engine_strays 0');
    expect(await doctor()).toMatchObject({ status: 'ok' });
    await appear('vm_stray');
    await room.look();
    expect(warnings('vm_stray')).toHaveLength(2);
    await room.engine.removeInstance(room.ref('vm_stray'));
    await room.look();
  });

  it('is not reported for a machine that was being deleted when the engine was asked', async () => {
    const { id } = await room.create();
    const { engine } = room;
    const { services, registry } = room.app;
    const slow = Object.create(engine, {
      observeInstances: {
        value: async () => {
          const found = await engine.observeInstances();
          await room.call('DELETE', `vms/${id}`);
          await settle(room.app);
          return found;
        },
      },
    });
    const drift = registry.schedules.find(({ name }) => name === 'flexible-vps.machines');
    await drift?.run({ ...services, compute: { at: () => engine, all: [slow] } });
    expect(warnings(id)).toEqual([]);
    expect(await gauge()).toBe('hostplane_engine_strays 0');
  });

  it('does not keep other machines from being reconciled when it cannot be observed', async () => {
    const { id } = await room.create();
    await appear('vm_mute');
    const { db } = room.app.services;
    await addFault(db, { call: 'observeInstance', target: 'vm_mute', effect: { kind: 'unreachable' } });
    await room.halt(id, 'shutdown');
    await room.look();
    expect((await room.read(id)).status).toBe('stopped');
    await clearFaults(db);
  });
});
