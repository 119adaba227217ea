/** Creates the same machine in two ways: with the engine's own REST calls, and through Hostplane's API. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDaemon } from '../src/testing/incus/daemon.ts';
import { POOL } from '../src/testing/incus/furnish.ts';
import { LOCATION, SYSTEM } from '../src/testing/incus/provider.ts';
import type { Contender } from './processes.ts';

const PROJECT = 'by-hand';
const VOLUMES = `/1.0/storage-pools/${POOL}/volumes/custom`;
/** The smallest volume that is sold. */
const SIZE_GB = 10;
const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl bench@example';

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly address: string;
}

export const addressAt = (n: number): string => `203.0.113.${n}`;

interface Example {
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Makes only the engine calls that create a machine for a customer. */
export class Hands {
  readonly #daemon: TestDaemon;
  #example: Example = { config: {}, devices: {} };

  constructor(daemon: TestDaemon) {
    this.#daemon = daemon;
  }

  async prepare(): Promise<void> {
    const config = { 'features.images': 'false', 'features.networks': 'false', 'features.profiles': 'true' };
    await this.#daemon.client.run('POST', '/1.0/projects', { body: { name: PROJECT, config } });
  }

  /** Copies the configuration of a machine that Hostplane created, so that both request the same. */
  async learn({ name, project }: Machine): Promise<void> {
    const { client } = this.#daemon;
    const { config, devices } = await client.ask<Example>('GET', `/1.0/instances/${name}`, { project });
    const kept = Object.entries(config).filter(([key]) => !key.startsWith('volatile.'));
    this.#example = { config: Object.fromEntries(kept), devices };
  }

  async make(name: string, address: string): Promise<Machine> {
    const { client } = this.#daemon;
    const { config, devices } = this.#example;
    const own = Object.entries(devices).map(([key, { hwaddr: _, ...device }]) => [
      key,
      device['type'] === 'nic' ? { ...device, 'ipv4.address': address } : device,
    ]);
    const body = {
      name,
      profiles: [],
      config,
      devices: Object.fromEntries(own),
      source: { type: 'image', alias: SYSTEM },
    };
    await client.run('POST', '/1.0/instances', { project: PROJECT, body });
    const path = `/1.0/instances/${name}/state`;
    await client.run('PUT', path, { project: PROJECT, body: { action: 'start' } });
    return { id: name, name, project: PROJECT, address };
  }

  /** Waits until the guest has its address. */
  async untilAddressed({ name, project, address }: Machine): Promise<void> {
    for (;;) {
      const state = await this.#daemon.client.askText(`/1.0/instances/${name}/state`, { project });
      if (state.includes(`"${address}"`)) return;
      await sleep(5);
    }
  }

  async makeVolume(name: string): Promise<string> {
    const body = { name, type: 'custom', config: { size: `${SIZE_GB}GiB` } };
    await this.#daemon.client.run('POST', VOLUMES, { project: PROJECT, body });
    return name;
  }

  attach = (machine: Machine, volume: string): Promise<void> =>
    this.#changeDevices(machine, (devices) => ({
      ...devices,
      [volume]: { type: 'disk', pool: POOL, source: volume, path: `/mnt/${volume}` },
    }));

  detach = (machine: Machine, volume: string): Promise<void> =>
    this.#changeDevices(machine, ({ [volume]: _, ...others }) => others);

  /** Reads the machine and writes it back: the engine has no call that only adds a device. */
  async #changeDevices(
    { name, project }: Machine,
    change: (devices: Example['devices']) => Example['devices'],
  ): Promise<void> {
    const { client } = this.#daemon;
    const path = `/1.0/instances/${name}`;
    const { value, mark } = await client.askWithMark<Example>(path, { project });
    const body = { ...value, devices: change(value.devices) };
    await client.run('PUT', path, { project, body, headers: { 'if-match': mark } });
  }

  async remove({ name, project }: Machine): Promise<void> {
    const { client } = this.#daemon;
    const path = `/1.0/instances/${name}`;
    await client.run('PUT', `${path}/state`, { project, body: { action: 'stop', force: true } });
    await client.run('DELETE', path, { project });
  }
}

export class Customer {
  readonly #product: Contender;
  readonly #key: string;
  #calls = 0;
  #sshKey = '';

  /** By default with the key that a new product prints. */
  constructor(product: Contender, key = /HOSTPLANE_API_KEY=(hpk1_\w+)/.exec(product.greeting)?.[1] ?? '') {
    this.#product = product;
    this.#key = key;
  }

  async ask<T>(method: string, path: string, body?: object, wait = false): Promise<T> {
    const n = ++this.#calls;
    const answer = await fetch(`http://127.0.0.1:${this.#product.port}${path}`, {
      method,
      headers: {
        'x-api-key': this.#key,
        'content-type': 'application/json',
        'x-forwarded-for': `198.19.${(n >> 8) & 255}.${n & 255}`,
        ...(wait ? { prefer: 'wait=60' } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /**
   * Without an SSH key the machine would get a password, and hashing it takes longer than everything else.
   */
  async prepare(): Promise<void> {
    const body = { name: 'bench', public_key: PUBLIC_KEY };
    this.#sshKey = (await this.ask<{ id: string }>('POST', '/flexible-vps/v1/ssh-keys', body)).id;
  }

  async make(name: string): Promise<Machine> {
    const body = {
      name,
      location: LOCATION,
      plan: 'flex-1-1',
      source: { type: 'image', image_id: SYSTEM },
      ssh_key_ids: [this.#sshKey],
      public_ipv6: false,
    };
    const vm = await this.ask<{ id: string; status: string; primary_ipv4: string }>(
      'POST',
      '/flexible-vps/v1/vms',
      body,
      true,
    );
    if (vm.status !== 'running') throw new Error(`It is ${vm.status}.`);
    return {
      id: vm.id,
      name: vm.id.replace('_', '-'),
      project: await this.project(),
      address: vm.primary_ipv4,
    };
  }

  async makeVolume(name: string): Promise<string> {
    const body = { name, location: LOCATION, size_gb: SIZE_GB };
    return (await this.ask<{ id: string }>('POST', '/flexible-vps/v1/volumes', body, true)).id;
  }

  attach = ({ id }: Machine, volume: string): Promise<void> =>
    this.#act(volume, { type: 'attach', vm_id: id });

  detach = (_: Machine, volume: string): Promise<void> => this.#act(volume, { type: 'detach' });

  async #act(volume: string, body: object): Promise<void> {
    const path = `/flexible-vps/v1/volumes/${volume}/actions`;
    const { status } = await this.ask<{ status: string }>('POST', path, body, true);
    if (status !== 'succeeded') throw new Error(`It has ${status}.`);
  }

  remove = ({ id }: Pick<Machine, 'id'>): Promise<unknown> =>
    this.ask('DELETE', `/flexible-vps/v1/vms/${id}`, undefined, true);

  #project: Promise<string> | undefined;
  project(): Promise<string> {
    this.#project ??= this.ask<{ account: { id: string } }>('GET', '/account/v1/whoami').then(({ account }) =>
      account.id.replace('_', '-'),
    );
    return this.#project;
  }
}
