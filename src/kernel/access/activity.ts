/** Records when keys were last used and allowlist entries last matched. It writes once a minute; a crash loses that. */
import type { Db } from '../../store/database.ts';
import type { ClientView } from '../client.ts';
import { WriteBehind } from '../write-behind.ts';
import { noteUses } from './key-use-events.ts';
import { type KeyRejection, type KeyUse, writeMatches, writeRejections } from './store.ts';

declare module '../services.ts' {
  interface Services {
    readonly activity: KeyActivity;
  }
}

const INTERVAL_MS = 60_000;
const CAPACITY = 100_000;
/** The most addresses recorded per key between two writes. */
const MOST_ADDRESSES = 1000;

/** The newer use replaces the older one, but the addresses of both are kept if a write failed. */
const foldUses = (kept: KeyUse, next: KeyUse): KeyUse => ({
  ...next,
  addresses: new Map([...kept.addresses, ...next.addresses]),
});

export class KeyActivity {
  readonly #uses: WriteBehind<KeyUse>;
  readonly #rejections: WriteBehind<KeyRejection>;
  readonly #matches: WriteBehind<{ id: string; at: Date }>;

  constructor(db: Db, failed: (error: unknown) => void, intervalMs: number = INTERVAL_MS) {
    const common = { capacity: CAPACITY, intervalMs, failed };
    this.#uses = new WriteBehind({ ...common, fold: foldUses, write: (uses) => noteUses(db, uses) });
    this.#rejections = new WriteBehind({ ...common, write: (rejections) => writeRejections(db, rejections) });
    this.#matches = new WriteBehind({
      ...common,
      write: (matches) => writeMatches(db, new Map(matches.map(({ id, at }) => [id, at]))),
    });
  }

  used(keyId: string, client: ClientView, operation: string): void {
    const { address, userAgent } = client;
    const ip = address.text;
    const at = new Date();
    const kept = this.#uses.get(keyId);
    if (kept === undefined) {
      const addresses = new Map([[ip, { at, operation }]]);
      this.#uses.push(keyId, { keyId, at, ip, userAgent, operation, addresses });
      return;
    }
    kept.at = at;
    kept.ip = ip;
    kept.userAgent = userAgent;
    kept.operation = operation;
    if (kept.addresses.size < MOST_ADDRESSES && !kept.addresses.has(ip))
      kept.addresses.set(ip, { at, operation });
  }

  rejected(keyId: string, ip: string, code: string): void {
    this.#rejections.push(keyId, { keyId, at: new Date(), ip, code });
  }

  matched(entryId: string): void {
    this.#matches.push(entryId, { id: entryId, at: new Date() });
  }

  async flush(): Promise<void> {
    await Promise.all([this.#uses.flush(), this.#rejections.flush(), this.#matches.flush()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#uses.close(), this.#rejections.close(), this.#matches.close()]);
  }
}
