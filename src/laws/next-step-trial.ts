/** How a law tries the next step of a problem: a customer is refused, does what the problem says, and looks again. */
import { setImmediate } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import type { ProblemCode } from '../kernel/problems/catalogue.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { TestApp } from '../testing/app.ts';
import { VpsAccount } from '../testing/vps.ts';

/** The body of a problem. */
export type Refusal = Readonly<Record<string, unknown>> & { readonly code: string };

export interface Trial {
  readonly refused: Refusal;
  /** Does what the next step says. Returns the answer to the repeated call, or undefined if it was made in the portal. */
  follow(): Promise<LightMyRequestResponse | undefined>;
  /** The resource that the refused call was to delete, so that the advice may delete it. */
  readonly subject?: string;
  /** The advice leads to another refusal, which protects the customer. */
  readonly leadsTo?: string;
}

export type Trials = Partial<Record<ProblemCode, (customer: Customer) => Promise<Trial>>>;

interface Sent {
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
  readonly key?: string | undefined;
  readonly from?: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export class Customer {
  readonly app: TestApp;
  readonly vps: VpsAccount;

  constructor(app: TestApp, vps: VpsAccount) {
    this.app = app;
    this.vps = vps;
  }

  static async open(app: TestApp): Promise<Customer> {
    return new Customer(app, await VpsAccount.open(app));
  }

  get db() {
    return this.app.services.db;
  }

  get accountId(): string {
    return this.vps.account.id;
  }

  /** `key: undefined` sends no key. */
  call(method: Method, url: string, sent: Sent = {}): Promise<LightMyRequestResponse> {
    const { body, headers = {}, key, from } = { key: this.vps.key, ...sent };
    return this.app.call({
      method,
      url,
      headers: { ...headers, ...(key === undefined ? {} : { 'x-api-key': key }) },
      ...(body === undefined ? {} : { payload: body }),
      ...(from === undefined ? {} : { remoteAddress: from }),
    });
  }

  async refused(...request: Parameters<Customer['call']>): Promise<Refusal> {
    return (await this.call(...request)).json<Refusal>();
  }

  /** A trial of one request that is refused and of another that is not. */
  async instead(
    [method, url, sent]: Parameters<Customer['call']>,
    better: (refused: Refusal) => Parameters<Customer['call']> | Promise<Parameters<Customer['call']>>,
  ): Promise<Trial> {
    const refused = await this.refused(method, url, sent);
    return { refused, follow: async () => this.call(...(await better(refused))) };
  }

  async made(url: string, body: object): Promise<string> {
    const answer = await this.call('POST', url, { body });
    if (answer.statusCode >= 300) throw new Error(`${url} ${answer.statusCode}: ${answer.body}`);
    return answer.json<{ id: string }>().id;
  }

  /** The names that the customer has written. */
  async written(): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
      select name from resources where account_id = ${this.accountId}
      union select name from api_keys where account_id = ${this.accountId}
      union select name from members where account_id = ${this.accountId}
      union select name from budgets where account_id = ${this.accountId}
      union select name from webhooks where account_id = ${this.accountId}
      union select name from vpn_peers where account_id = ${this.accountId}
      union select name from accounts where id = ${this.accountId}`.execute(this.db);
    return rows.map(({ name }) => name);
  }

  /** What the customer has: resources, interfaces, addresses and keys, each with the machine that it belongs to. */
  async belongings(): Promise<{ id: string; vm_id: string | null }[]> {
    const { rows } = await sql<{ id: string; vm_id: string | null }>`
      select id, null as vm_id from resources where account_id = ${this.accountId}
      union select id, vm_id from vm_interfaces where account_id = ${this.accountId}
      union select id, vm_id from public_addresses where account_id = ${this.accountId}
      union select id, null from api_keys where account_id = ${this.accountId} and status <> 'revoked'`.execute(
      this.db,
    );
    return rows;
  }

  /** The machines that have a private interface or a public address. */
  async connected(): Promise<string[]> {
    const { rows } = await sql<{ vm_id: string }>`
      select vm_id from vm_interfaces where account_id = ${this.accountId} and kind = 'private'
      union select vm_id from public_addresses where account_id = ${this.accountId} and vm_id is not null`.execute(
      this.db,
    );
    return rows.map(({ vm_id }) => vm_id);
  }
}

/** For calls of the portal, which throw the problem. */
export async function refusedInPortal(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw new Error(`The portal did not refuse: ${error}`);
  return { code: error.code, ...error.extra };
}

/** Repeats a call until a change of rights has reached the process. */
export async function once(
  send: () => Promise<LightMyRequestResponse>,
  isThere: (answer: LightMyRequestResponse) => boolean = ({ statusCode }) => statusCode < 300,
): Promise<LightMyRequestResponse> {
  for (;;) {
    const answer = await send();
    if (isThere(answer)) return answer;
    await setImmediate();
  }
}
