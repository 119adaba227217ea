/** An account that creates machines and private networks through the API, as a customer does. */
import type { LightMyRequestResponse } from 'fastify';
import type { Interface } from '../families/flexible-vps/interfaces/schema.ts';
import type { Vm } from '../families/flexible-vps/vms/schema.ts';
import type { PublicAddressRow } from '../resources/addresses/store.ts';
import { createAccount, createKey, type TestAccount } from './accounts.ts';
import type { TestApp } from './app.ts';
import { settle } from './operations.ts';
import { reserveFor } from './reserved-address.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let serial = 0;

export class VpsAccount {
  readonly app: TestApp;
  readonly account: TestAccount;
  readonly key: string;

  private constructor(app: TestApp, account: TestAccount, key: string) {
    this.app = app;
    this.account = account;
    this.key = key;
  }

  static async open(app: TestApp): Promise<VpsAccount> {
    const account = await createAccount(app.services.db);
    return new VpsAccount(app, account, (await createKey(app.services.db, account)).key);
  }

  /** Calls the flexible-vps API. The path starts with the collection, such as `vms/…`. */
  send(
    method: Method,
    path: string,
    payload?: object,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    const url = `/flexible-vps/v1/${path}`;
    return this.app.call({ method, url, headers, key: this.key, ...(payload ? { payload } : {}) });
  }

  /** Sends the request and runs its operation to the end. */
  async do<T extends { id: string }>(method: Method, path: string, payload?: object): Promise<T> {
    const answer = await this.send(method, path, payload);
    if (answer.statusCode >= 300) throw new Error(`${path} ${answer.statusCode}: ${answer.body}`);
    await settle(this.app);
    return answer.json<T>();
  }

  async vm(body: object = {}): Promise<Vm> {
    const { id } = await this.do<Vm>('POST', 'vms', {
      name: `m-${++serial}`,
      location: 'fra1',
      plan: 'flex-2-4',
      source: { type: 'image', image_id: 'ubuntu-24.04' },
      ...body,
    });
    return this.readVm(id);
  }

  async readVm(id: string): Promise<Vm> {
    return (await this.send('GET', `vms/${id}`)).json<Vm>();
  }

  /** A reserved address of the account, which no machine has. */
  reserveAddress(options: { location?: string; version?: 4 | 6 } = {}): Promise<PublicAddressRow> {
    return reserveFor({ app: this.app, account: this.account }, options);
  }

  async network(body: object = {}): Promise<string> {
    const n = ++serial;
    // Outside the ranges that tests choose themselves.
    const range = { ipv4_cidr: `10.${230 + ((n >> 8) % 20)}.${n & 255}.0/24` };
    const made = await this.do('POST', 'networks', { name: `n-${n}`, location: 'fra1', ...range, ...body });
    return made.id;
  }

  async interfaces(vmId: string): Promise<Interface[]> {
    return (await this.send('GET', `vms/${vmId}/interfaces?sort=index`)).json<{ data: Interface[] }>().data;
  }

  async attach(vmId: string, networkId: string, body: object = {}): Promise<Interface> {
    const { id } = await this.do<Interface>('POST', `vms/${vmId}/interfaces`, {
      network_id: networkId,
      ...body,
    });
    const found = (await this.interfaces(vmId)).find((each) => each.id === id);
    if (found === undefined) throw new Error(`The interface ${id} is not there.`);
    return found;
  }

  instance({ id, location }: Pick<Vm, 'id' | 'location'>) {
    return this.app.services.compute.at(location)?.observeInstance({ account: this.account.id, id });
  }

  async operation(id: string): Promise<{ status: string; error: { code: string } | null; result: unknown }> {
    const url = `/account/v1/operations/${id}`;
    return (await this.app.call({ method: 'GET', url, key: this.key })).json();
  }
}
