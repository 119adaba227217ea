/** An account with machines on the sandbox engine, and methods that change machines at the engine without the API. */

import { changePresent, nameOf } from '../engines/compute/sandbox/core.ts';
import { haltInside } from '../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../engines/compute/sandbox/sandbox.ts';
import type { Machine } from '../engines/compute/sandbox/state.ts';
import { reserve } from '../engines/compute/sandbox/store.ts';
import type { Vm } from '../families/flexible-vps/vms/schema.ts';
import { createAccount, createKey, type TestAccount } from './accounts.ts';
import { createTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { settle } from './operations.ts';

const LOCATION = 'fra1';

export class MachineRoom {
  readonly app: TestApp;
  readonly account: TestAccount;
  readonly key: string;
  #serial = 0;

  private constructor(app: TestApp, account: TestAccount, key: string) {
    this.app = app;
    this.account = account;
    this.key = key;
  }

  static async open(options: TestAppOptions = {}): Promise<MachineRoom> {
    const app = await createTestApp(options);
    const account = await createAccount(app.services.db);
    const { key } = await createKey(app.services.db, account);
    return new MachineRoom(app, account, key);
  }

  get engine(): Sandbox {
    return this.app.services.compute.at(LOCATION) as Sandbox;
  }

  ref = (id: string) => ({ account: this.account.id, id });

  async call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object): Promise<T> {
    const url = `/flexible-vps/v1/${path}`;
    const answer = await this.app.call({ method, url, key: this.key, ...(payload ? { payload } : {}) });
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.body}`);
    return answer.json<T>();
  }

  read = (id: string): Promise<Vm> => this.call('GET', `vms/${id}`);

  /** Orders a machine. Its operation is queued but does not run yet. */
  order(body: object = {}): Promise<Vm> {
    this.#serial++;
    return this.call('POST', 'vms', {
      name: `web-${this.#serial}`,
      location: LOCATION,
      plan: 'flex-2-4',
      source: { type: 'image', image_id: 'ubuntu-24.04' },
      ...body,
    });
  }

  async create(body: object = {}): Promise<Vm> {
    const { id } = await this.order(body);
    await settle(this.app);
    return this.read(id);
  }

  async run(name: string): Promise<void> {
    const schedule = this.app.registry.schedules.find((each) => each.name === name);
    if (schedule === undefined) throw new Error(`There is no schedule ${name}.`);
    await schedule.run(this.app.services);
  }

  look = (): Promise<void> => this.run('flexible-vps.machines');

  halt = (id: string, how: 'shutdown' | 'crashed' | 'reboot'): Promise<void> =>
    haltInside(this.engine.core, this.ref(id), how);

  befall = (id: string, change: Partial<Machine>): Promise<void> =>
    changePresent(this.engine.core, nameOf(this.ref(id)), undefined, async (_, machine) => ({
      ...machine,
      ...change,
    }));

  /** Removes the machine from the engine. Returns a function that puts it back unchanged. */
  async lose(id: string): Promise<() => Promise<void>> {
    const { store } = this.engine.core;
    const name = nameOf(this.ref(id));
    const machine = await store.find('machine', name);
    if (machine === null) throw new Error(`There is no machine ${id}.`);
    await this.engine.core.lose(name);
    return async () => {
      await store.insert('machine', name, machine);
      await reserve(store, machine.host, machine.size);
    };
  }

  async eventsOf(id: string): Promise<string[]> {
    const rows = await this.app.services.db
      .selectFrom('events')
      .select('type')
      .where('resource_id', '=', id)
      .orderBy('sequence')
      .execute();
    return rows.map(({ type }) => type).filter((type) => !type.startsWith('operation.'));
  }

  row = (id: string) =>
    this.app.services.db.selectFrom('vms').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  /** The price per hour in millionths that the meter uses; null: the machine is free. */
  async meterOf(id: string): Promise<number | null> {
    const { price_hourly_micros } = await this.app.services.db
      .selectFrom('resources')
      .select('price_hourly_micros')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return price_hourly_micros;
  }

  close = (): Promise<void> => this.app.close();
}
