/** Sets up webhook tests: an app that may call loopback, a receiver on loopback, and senders with a movable clock. */
import { createHmac } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import type { RoleName } from '../kernel/access/roles.ts';
import type { EgressSettings, Resolve } from '../kernel/net/egress.ts';
import { Egress } from '../kernel/net/egress.ts';
import { type Environment, REAL } from '../operations/environment.ts';
import { type SenderOptions, WebhookSender } from '../operations/webhooks/sender.ts';
import { createAccount, createKey, createMember, type TestAccount } from './accounts.ts';
import { createTestApp, type TestApp } from './app.ts';
import { type Happening, happen } from './events.ts';
import { createReceiver, type Received, type Receiver, receiverCertificate, withStatus } from './receiver.ts';

export interface Attempt {
  readonly id: string;
  readonly message_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly attempt: number;
  readonly trigger: string;
  readonly status: string;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly response_excerpt: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

const settings: EgressSettings = { allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate };
const loopback: Resolve = async () => ['127.0.0.1'];

export class PostOffice {
  readonly app: TestApp;
  readonly receiver: Receiver;
  #shiftMs = 0;

  static async open(): Promise<PostOffice> {
    const allow = (config: TestApp['services']['provider']) => ({
      ...config,
      egress: { ...config.egress, ...settings, allow: [...settings.allow] },
    });
    // The app's own worker is off, because the tests decide when a sender sends.
    return new PostOffice(
      await createTestApp({ provider: allow as never, works: false }),
      await createReceiver(),
    );
  }

  private constructor(app: TestApp, receiver: Receiver) {
    this.app = app;
    this.receiver = receiver;
  }

  async close(): Promise<void> {
    await this.receiver.close();
    await this.app.close();
  }

  /** Deletes all webhooks and received requests, and lets the receiver accept everything again. */
  async clear(): Promise<void> {
    await this.app.services.db.deleteFrom('webhooks').execute();
    this.receiver.received.length = 0;
    this.receiver.answer(withStatus(204));
  }

  readonly environment: Environment = {
    ...REAL,
    now: () => new Date(Date.now() + this.#shiftMs),
    random: () => 0.5,
  };

  get now(): Date {
    return new Date(Date.now() + this.#shiftMs);
  }

  later(seconds: number): void {
    this.#shiftMs += seconds * 1000;
  }

  sender(
    options: SenderOptions & { resolve?: Resolve; egress?: Partial<EgressSettings> } = {},
  ): WebhookSender {
    const { resolve = loopback, egress, ...rest } = options;
    const stage = { ...this.app.services, egress: new Egress({ ...settings, ...egress }, resolve) };
    return new WebhookSender(stage, { environment: this.environment, ...rest });
  }

  async customer(permissions: string[] = ['*:*:*'], role?: RoleName): Promise<Customer> {
    const { db } = this.app.services;
    const account = await createAccount(db);
    const owner_id = role === undefined ? account.ownerId : await createMember(db, account.id, role);
    const { key } = await createKey(db, account, { permissions, owner_id });
    return new Customer(this, account, key, owner_id);
  }

  tell(accountId: string, ...happenings: readonly Happening[]): Promise<void> {
    return happen(this.app, accountId, ...happenings);
  }
}

export class Customer {
  readonly office: PostOffice;
  readonly account: TestAccount;
  readonly key: string;
  readonly ownerId: string;

  constructor(office: PostOffice, account: TestAccount, key: string, ownerId: string) {
    this.office = office;
    this.account = account;
    this.key = key;
    this.ownerId = ownerId;
  }

  call(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, payload?: object, headers = {}) {
    return this.office.app.call({
      method,
      url: `/account/v1/webhooks${path}`,
      key: this.key,
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
  }

  /** Creates or replaces a webhook. By default it sends all events to the receiver. */
  set(name: string, body: object = {}, headers = {}): Promise<LightMyRequestResponse> {
    const whole = { url: this.office.receiver.url, event_types: ['*'], ...body };
    return this.call('PUT', `/${name}`, whole, headers);
  }

  async show(name: string): Promise<Record<string, unknown> & { id: string }> {
    const list = await this.call('GET', `?name=${name}`);
    return list.json().data[0];
  }

  /** Sorted by time, oldest first. */
  async attempts(name: string, query = ''): Promise<Attempt[]> {
    return (await this.call('GET', `/${name}/deliveries?sort=created_at&${query}`)).json().data;
  }

  redeliver(name: string, id: string): Promise<LightMyRequestResponse> {
    return this.call('POST', `/${name}/deliveries/${id}/redeliver`, {});
  }

  tell(...happenings: readonly Happening[]): Promise<void> {
    return this.office.tell(this.account.id, ...happenings);
  }

  async eventsOf(...types: string[]): Promise<string[]> {
    const { db } = this.office.app.services;
    const rows = await db
      .selectFrom('events')
      .select(['type', 'message'])
      .where('account_id', '=', this.account.id)
      .where('type', 'in', types)
      .orderBy('sequence')
      .execute();
    return rows.map(({ type }) => type);
  }
}

/** Verifies the signature from headers and raw bytes, as a receiver does. Returns the indexes of matching secrets. */
export function verify({ headers, body }: Received, ...secrets: readonly string[]): number[] {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString('latin1')}`;
  const given = String(headers['webhook-signature']).split(' ');
  return secrets.flatMap((secret, i) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key).update(Buffer.from(signed, 'latin1')).digest('base64');
    return given.includes(`v1,${expected}`) ? [i] : [];
  });
}
