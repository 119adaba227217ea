/** An account that names its addresses through the API, as a customer does. */
import type { LightMyRequestResponse } from 'fastify';
import type { ReverseRecord } from '../families/ip-management/reverse-records/schema.ts';
import { releaseAddress } from '../resources/addresses/store.ts';
import type { TestApp } from './app.ts';
import { VpsAccount } from './vps.ts';

export class NamingAccount {
  readonly app: TestApp;
  readonly vps: VpsAccount;

  private constructor(app: TestApp, vps: VpsAccount) {
    this.app = app;
    this.vps = vps;
  }

  static async open(app: TestApp): Promise<NamingAccount> {
    return new NamingAccount(app, await VpsAccount.open(app));
  }

  /** An address that it holds from now on: a single IPv4, or the address number `n` of an IPv6 prefix. */
  async address(version: 4 | 6 = 4, n = 1, location = 'fra1'): Promise<{ id: string; text: string }> {
    const { id, block } = await this.vps.reserveAddress({ version, location });
    const [base = ''] = block.split('/');
    return { id, text: version === 4 ? base : `${base}${n.toString(16)}` };
  }

  release = (id: string): Promise<void> => releaseAddress(this.app.services.db, id, new Date());

  put(
    address: string,
    body: object,
    { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  ): Promise<LightMyRequestResponse> {
    const url = `/ip-management/v1/dns/reverse-records/${encodeURIComponent(address)}${query}`;
    return this.app.call({ method: 'PUT', url, key: this.vps.key, payload: body, headers });
  }

  /** Expects success. */
  async name(address: string, hostname: string | null, ttl?: number): Promise<ReverseRecord> {
    const body = { hostname, ...(ttl === undefined ? {} : { ttl_seconds: ttl }) };
    const answer = await this.put(address, body);
    if (answer.statusCode >= 300) throw new Error(`${address} ${answer.statusCode}: ${answer.body}`);
    return answer.json<ReverseRecord>();
  }

  async list(query = ''): Promise<ReverseRecord[]> {
    const answer = await this.app.call({
      url: `/ip-management/v1/dns/reverse-records${query}`,
      key: this.vps.key,
    });
    if (answer.statusCode !== 200) throw new Error(`${query} ${answer.statusCode}: ${answer.body}`);
    return answer.json<{ data: ReverseRecord[] }>().data;
  }

  async record(address: string): Promise<ReverseRecord | undefined> {
    return (await this.list(`?address=${address}`))[0];
  }

  async events(): Promise<string[]> {
    const answer = await this.app.call({
      url: '/account/v1/events?types=reverse_record.*',
      key: this.vps.key,
    });
    return answer.json<{ data: { type: string }[] }>().data.map(({ type }) => type);
  }
}

export const warningsOf = (answer: LightMyRequestResponse): string[] =>
  [...String(answer.headers['hostplane-warnings'] ?? '').matchAll(/"code":"([a-z_]+)"/g)].map(
    ([, code = '']) => code,
  );

/** Runs these schedules of the family once, as a worker does. */
export async function runSchedules(app: TestApp, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const schedule = app.registry.schedules.find((each) => each.name === `ip-management.${name}`);
    if (schedule === undefined) throw new Error(`There is no schedule ${name}.`);
    await schedule.run(app.services);
  }
}

/** What waits for a later time is due now. */
export const makeDue = async ({ services }: TestApp): Promise<void> => {
  await services.db
    .updateTable('reverse_records')
    .set({ due_at: new Date(0) })
    .where('due_at', 'is not', null)
    .execute();
};
