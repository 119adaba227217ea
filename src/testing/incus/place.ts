/** An account with machines on a real engine, in an app whose background work runs. */
import { expect } from 'vitest';
import { nameOf } from '../../engines/compute/incus/names.ts';
import type { Vm } from '../../families/flexible-vps/vms/schema.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import { createTestApp, type TestApp } from '../app.ts';
import { VpsAccount } from '../vps.ts';
import { startDaemon, type TestDaemon } from './daemon.ts';
import { furnishForDemo, LOCATION, SYSTEM, servedBy } from './provider.ts';

export const PATIENCE = { timeout: 240_000 };

export interface Ordered {
  readonly id: string;
  readonly operation: string;
}

type Adapt = (config: ProviderConfig) => ProviderConfig;

export class Place {
  readonly app: TestApp;
  readonly daemon: TestDaemon;
  readonly vps: VpsAccount;
  #serial = 0;

  private constructor(app: TestApp, daemon: TestDaemon, vps: VpsAccount) {
    this.app = app;
    this.daemon = daemon;
    this.vps = vps;
  }

  static async open(
    furniture: Parameters<typeof furnishForDemo>[1] = {},
    choices: Parameters<typeof servedBy>[1] = {},
    adapt: Adapt = (config) => config,
  ): Promise<Place> {
    const daemon = await startDaemon('incus');
    await furnishForDemo(daemon, furniture);
    return Place.on(daemon, choices, adapt);
  }

  static async on(
    daemon: TestDaemon,
    choices: Parameters<typeof servedBy>[1] = {},
    adapt: Adapt = (config) => config,
  ): Promise<Place> {
    const provider: Adapt = (config) => adapt(servedBy(daemon, choices)(config));
    const app = await createTestApp({ works: true, provider });
    return new Place(app, daemon, await VpsAccount.open(app));
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.daemon.stop();
  }

  askForOne(body: object = {}) {
    return this.vps.send('POST', 'vms', {
      name: `m-${++this.#serial}`,
      location: LOCATION,
      plan: 'flex-1-1',
      source: { type: 'image', image_id: SYSTEM },
      ssh_key_ids: [],
      user_data: '#cloud-config\n',
      ...body,
    });
  }

  async order(body: object = {}): Promise<Ordered> {
    const answer = await this.askForOne(body);
    expect(answer.statusCode, answer.body).toBe(202);
    const { id, operation } = answer.json<{ id: string; operation: { id: string } }>();
    return { id, operation: operation.id };
  }

  async act(method: 'POST' | 'DELETE', path: string, payload?: object): Promise<string> {
    const answer = await this.vps.send(method, path, payload);
    expect(answer.statusCode, answer.body).toBe(202);
    const body = answer.json<{ id: string; operation?: { id: string } }>();
    return body.operation?.id ?? body.id;
  }

  /** Waits until the operation has ended, and returns it. */
  async endOf(operation: string): Promise<{ status: string; error: { code: string } | null }> {
    const isOver = async () =>
      ['succeeded', 'failed', 'cancelled'].includes((await this.vps.operation(operation)).status);
    await expect.poll(isOver, { ...PATIENCE, message: operation }).toBe(true);
    return this.vps.operation(operation);
  }

  async create(body: object = {}): Promise<Vm> {
    const { id, operation } = await this.order(body);
    expect(await this.endOf(operation)).toMatchObject({ status: 'succeeded', error: null });
    return this.vps.readVm(id);
  }

  /** The names of all instances on the engine, of every account. */
  async instances(): Promise<string[]> {
    const query = { recursion: 1, 'all-projects': 'true' };
    const all = await this.daemon.client.ask<{ name: string }[]>('GET', '/1.0/instances', { query });
    return all.map(({ name }) => name);
  }

  page = (vm: Vm, name = ''): Promise<string> => this.daemon.fetch(`http://${vm.primary_ipv4}/${name}`);

  /**
   * Runs a command as root in a machine and returns when it has ended. `project` selects a machine that an operator
   * created.
   */
  async exec(id: string, command: readonly string[], project = nameOf(this.vps.account.id)): Promise<void> {
    const body = { command, 'wait-for-websocket': false, interactive: false };
    await this.daemon.client.run('POST', `/1.0/instances/${nameOf(id)}/exec`, { project, body });
  }

  /** Deletes all machines of the account, and checks that nothing is left. */
  async removeAll(): Promise<void> {
    const { data } = (await this.vps.send('GET', 'vms?limit=100')).json<{ data: readonly Vm[] }>();
    const operations = await Promise.all(data.map(({ id }) => this.act('DELETE', `vms/${id}`)));
    for (const operation of operations) expect((await this.endOf(operation)).status).toBe('succeeded');
    expect(await this.instances()).toEqual([]);
    const { db } = this.app.services;
    expect(await db.selectFrom('incus_machines').selectAll().execute()).toEqual([]);
  }
}

/** Checks that each machine exists exactly once, runs, and answers on its address. */
export async function expectAllWell(place: Place, ordered: readonly Ordered[]): Promise<void> {
  for (const { operation } of ordered)
    expect(await place.endOf(operation)).toMatchObject({ status: 'succeeded', error: null });
  const vms = await Promise.all(ordered.map(({ id }) => place.vps.readVm(id)));
  expect(new Set(vms.map((vm) => vm.primary_ipv4)).size).toBe(vms.length);
  expect((await place.instances()).sort()).toEqual(vms.map(({ id }) => nameOf(id)).sort());
  await Promise.all(vms.map((vm) => expect.poll(() => place.page(vm), PATIENCE).toContain(vm.hostname)));
}
