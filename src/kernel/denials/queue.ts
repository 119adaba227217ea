/** Records denied calls of API keys. Equal denials become one row with a count. A flood loses rows; no 403 waits. */
import type { Db } from '../../store/database.ts';
import type { DeniedBy } from '../access/caller.ts';
import { callerOf, type Exchange } from '../exchange.ts';
import { newId } from '../ids.ts';
import type { Endpoint } from '../record.ts';
import { WriteBehind } from '../write-behind.ts';
import { tellDenials } from './denial-events.ts';
import { type Denial, type DenialCause, writeDenials, writeDrops } from './store.ts';

declare module '../services.ts' {
  interface Services {
    readonly denials: DenialQueue;
  }
}

/** Distinct denials per second. More of them would tell the account's owner nothing new. */
const CAPACITY = 1_000;

export interface DenialReason {
  readonly cause: DenialCause;
  readonly code: string;
  readonly enforced: boolean;
  readonly deniedBy: readonly DeniedBy[] | null;
}

export class DenialQueue {
  readonly #queue: WriteBehind<Denial>;
  readonly #drops: WriteBehind<{ accountId: string; count: number }>;
  /** The addresses of the queued denials. A full queue is asked for nothing of an address that is not among them. */
  #addresses = new Set<string>();
  dropped = 0;

  constructor(db: Db, failed: (error: unknown) => void, capacity: number = CAPACITY) {
    this.#drops = new WriteBehind({
      capacity: CAPACITY,
      intervalMs: 1_000,
      failed,
      fold: (kept, next) => ({ ...kept, count: kept.count + next.count }),
      write: (drops) => writeDrops(db, drops),
    });
    this.#queue = new WriteBehind({
      capacity,
      intervalMs: 1_000,
      failed,
      fold: (kept, next) => ({
        ...next,
        id: kept.id,
        first_at: kept.first_at,
        count: kept.count + next.count,
      }),
      write: async (denials) => {
        this.#addresses = new Set();
        await writeDenials(db, denials);
        // A failure here must not fail `write`, or the denials would be written and counted again.
        await tellDenials(db, denials).catch(failed);
      },
      dropped: ({ account_id, count }) => this.#drop(account_id, count),
    });
  }

  record(exchange: Exchange, endpoint: Endpoint, reason: DenialReason): void {
    const { account, key } = callerOf(exchange);
    if (key === null) throw new Error('A denial of a call without an API key was recorded.');
    const ip = exchange.client.address.text;
    if (this.#queue.isFull && !this.#addresses.has(ip)) {
      this.#drop(account.id, 1);
      return;
    }
    const place = `${key.id} ${ip} ${endpoint.id} ${reason.cause} ${reason.enforced}`;
    const kept = this.#queue.get(place);
    const now = new Date();
    if (kept !== undefined) {
      kept.count++;
      kept.last_at = now;
      kept.last_request_id = exchange.requestId;
      kept.user_agent = exchange.client.userAgent;
      kept.code = reason.code;
      return;
    }
    if (this.#queue.isFull) {
      this.#drop(account.id, 1);
      return;
    }
    this.#addresses.add(ip);
    this.#queue.push(place, {
      id: newId('key_denial'),
      account_id: account.id,
      cause: reason.cause,
      code: reason.code,
      enforced: reason.enforced,
      allowlist_mode: account.allowlist.mode,
      key_id: key.id,
      key_public_id: key.publicId,
      key_name: key.name,
      client_ip: ip,
      method: endpoint.method,
      path_template: endpoint.path,
      operation_id: endpoint.id,
      required_permission: reason.cause === 'permission' ? endpoint.permission : null,
      denied_by: reason.deniedBy === null ? null : [...reason.deniedBy],
      user_agent: exchange.client.userAgent,
      count: 1,
      first_at: now,
      last_at: now,
      last_request_id: exchange.requestId,
    });
  }

  #drop(accountId: string, count: number): void {
    this.dropped += count;
    const kept = this.#drops.get(accountId);
    if (kept === undefined) this.#drops.push(accountId, { accountId, count });
    else kept.count += count;
  }

  async flush(): Promise<void> {
    await this.#queue.flush();
    await this.#drops.flush();
  }

  async close(): Promise<void> {
    await this.#queue.close();
    await this.#drops.close();
  }
}
