import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand, urlOf } from '../../../testing/command-line.ts';
import { MachineRoom } from '../../../testing/machine-room.ts';
import { ended } from '../../../testing/operations.ts';
import type { Vm } from '../vms/schema.ts';

let room: MachineRoom;
beforeAll(async () => {
  room = await MachineRoom.open({ works: true });
});
afterAll(() => room.close());

async function running(): Promise<string> {
  const { id, operation } = await room.order();
  await ended(room.app, operation?.id ?? '');
  expect((await room.read(id)).status).toBe('running');
  return id;
}

async function until(id: string, isAsExpected: (vm: Vm) => boolean): Promise<Vm> {
  for (;;) {
    const vm = await room.read(id);
    if (isAsExpected(vm)) return vm;
    await wait(10);
  }
}

/** The schedule runs only once a minute, so a change that shows within this time limit comes from the nudge. */
const SECONDS = 15_000;

it.each([
  ['shutdown', { status: 'stopped', status_reason: null }, 'vm.stopped_by_guest'],
  ['crash', { status: 'stopped', status_reason: 'crashed' }, 'vm.crashed'],
  ['lose', { status: 'error', status_reason: 'lost' }, 'vm.lost'],
] as const)(
  'an injected mishap of a machine (%s) is shown within seconds',
  async (mishap, shown, event) => {
    const id = await running();
    const env = { HOSTPLANE_DATABASE_URL: urlOf(room.app.database.connection) };
    expect((await runCommand(['sandbox', 'befall', id, mishap, '--yes'], { env })).code).toBe(0);
    expect(await until(id, ({ status }) => status !== 'running')).toMatchObject(shown);
    expect(await room.eventsOf(id)).toEqual(['vm.created', event]);
  },
  SECONDS,
);

it(
  'many machines that change at the same time are all observed',
  async () => {
    const ids = [];
    for (let i = 0; i < 12; i++) ids.push(await running());
    await Promise.all(ids.map((id) => room.halt(id, 'shutdown')));
    for (const id of ids) await until(id, ({ status }) => status === 'stopped');
  },
  SECONDS,
);
