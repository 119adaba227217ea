/**
 * Caches each key with its account and permissions, so that most requests need no database query, and each member who is
 * signed in. A notification from the database invalidates all keys and members of an account. While the listener is disconnected, nothing is cached.
 */
import type { Db } from '../../store/database.ts';
import type { Subscriber } from '../../store/listener.ts';
import { parseCidr } from '../net/cidr.ts';
import { buildPrefixTrie } from '../net/prefix-trie.ts';
import type { Registry } from '../registry.ts';
import {
  type AccountAccess,
  type Caller,
  type Decision,
  decide,
  type Guarded,
  type KeyCaller,
  type MemberCaller,
} from './caller.ts';
import { toDigest } from './key-format.ts';
import { type AccountRow, findAccount, findKey, findSignedIn, type KeyRow } from './store.ts';

declare module '../services.ts' {
  interface Services {
    readonly access: AccessCache;
  }
}

export const ACCESS_CHANNEL = 'hostplane_access';
const TTL_MS = 60_000;
/** Looked up for an unknown key, so that it costs the queries of a known one. No account has this id. */
const NO_ACCOUNT = '';
const MAX_KEYS = 50_000;
const MAX_UNKNOWN = 10_000;
const MAX_MEMBERS = 10_000;

const placeOf = (sessionId: string, accountId: string): string => `${sessionId} ${accountId}`;

export interface KnownKey extends KeyCaller {
  /** Of the whole key, see `matchesDigest`. */
  readonly digest: string;
}

export interface SignedInMember {
  readonly isSignedIn: boolean;
  /** When the session ends by itself, in this process's clock. */
  readonly endsAt: number;
  /** Null if the person is no active member of the account. */
  readonly member: MemberCaller | null;
}

interface Kept {
  readonly key: KnownKey | null;
  readonly until: number;
}

export class AccessCache implements Subscriber {
  readonly #db: Db;
  readonly #registry: Registry;
  readonly #kept = new Map<string, Kept>();
  readonly #members = new Map<string, { readonly found: SignedInMember; readonly until: number }>();
  readonly #unknown = new Map<string, number>();
  readonly #loading = new Map<string, Promise<KnownKey | null>>();
  /** Incremented by every invalidation. A row that was read before an invalidation is not cached after it. */
  #generation = 0;
  #trusted = false;
  hits = 0;
  misses = 0;

  constructor(db: Db, registry: Registry) {
    this.#db = db;
    this.#registry = registry;
  }

  get size(): number {
    return this.#kept.size;
  }

  heard(accountId: string): void {
    this.#generation++;
    this.#unknown.clear();
    this.#loading.clear();
    for (const [publicId, { key }] of this.#kept) {
      if (key?.account.id === accountId) this.#kept.delete(publicId);
    }
    for (const [place, { found }] of this.#members) {
      if (found.member?.account.id === accountId) this.#members.delete(place);
    }
  }

  up(): void {
    this.#forget();
    this.#trusted = true;
  }

  down(): void {
    this.#trusted = false;
    this.#forget();
  }

  /** Whether the caller's rights are cached as they are here. If not, they may have changed. */
  isCurrent(caller: Caller): boolean {
    return caller.key === null
      ? this.#members.get(placeOf(caller.sessionId, caller.account.id))?.found.member === caller
      : this.#kept.get(caller.key.publicId)?.key === caller;
  }

  /** The member that the person of a session is in an account. */
  async findMember(sessionId: string, accountId: string): Promise<SignedInMember> {
    const place = placeOf(sessionId, accountId);
    const kept = this.#members.get(place);
    if (kept !== undefined && kept.until > Date.now()) return kept.found;
    const generation = this.#generation;
    const found = await this.#loadMember(sessionId, accountId);
    if (found.member !== null && this.#trusted && generation === this.#generation) {
      if (this.#members.size >= MAX_MEMBERS) this.#members.clear();
      this.#members.set(place, { found, until: Math.min(Date.now() + TTL_MS, found.endsAt) });
    }
    return found;
  }

  async #loadMember(sessionId: string, accountId: string): Promise<SignedInMember> {
    const row = await findSignedIn(this.#db, sessionId, accountId);
    if (row === undefined) return { isSignedIn: false, endsAt: 0, member: null };
    const { ends_at, database_now, member_id, role, name } = row;
    const endsAt = ends_at.getTime() - (database_now.getTime() - Date.now());
    const account = member_id === null ? undefined : await findAccount(this.#db, accountId);
    if (member_id === null || role === null || name === null || account === undefined)
      return { isSignedIn: true, endsAt, member: null };
    const known = {
      account: toAccount(account),
      key: null,
      owner: { memberId: member_id, role, suspended: false },
      name,
      sessionId,
    };
    return { isSignedIn: true, endsAt, member: { ...known, decide: decideOnce(known, this.#registry) } };
  }

  /** `null`: no such key. Returns a promise only if the key has to be read from the database. */
  find(publicId: string): KnownKey | null | Promise<KnownKey | null> {
    const now = Date.now();
    const kept = this.#kept.get(publicId);
    if (kept !== undefined && kept.until > now) {
      this.hits++;
      return kept.key;
    }
    const unknownUntil = this.#unknown.get(publicId);
    if (unknownUntil !== undefined && unknownUntil > now) {
      this.hits++;
      return null;
    }
    this.misses++;
    const running = this.#loading.get(publicId);
    if (running !== undefined) return running;
    const loading = this.#load(publicId).finally(() => {
      if (this.#loading.get(publicId) === loading) this.#loading.delete(publicId);
    });
    this.#loading.set(publicId, loading);
    return loading;
  }

  async #load(publicId: string): Promise<KnownKey | null> {
    const generation = this.#generation;
    const row = await findKey(this.#db, publicId);
    const account = await findAccount(this.#db, row?.account_id ?? NO_ACCOUNT);
    const key = row && account ? toKnownKey(row, account, this.#registry) : null;
    if (this.#trusted && generation === this.#generation) this.#keep(publicId, key);
    return key;
  }

  #keep(publicId: string, key: KnownKey | null): void {
    if (key === null) {
      if (this.#unknown.size >= MAX_UNKNOWN) this.#unknown.clear();
      this.#unknown.set(publicId, Date.now() + TTL_MS);
      return;
    }
    const oldest = this.#kept.size >= MAX_KEYS ? this.#kept.keys().next() : undefined;
    if (oldest && !oldest.done) this.#kept.delete(oldest.value);
    this.#kept.set(publicId, { key, until: Date.now() + TTL_MS });
  }

  #forget(): void {
    this.#generation++;
    this.#kept.clear();
    this.#members.clear();
    this.#unknown.clear();
    this.#loading.clear();
  }
}

function toAccount(row: AccountRow): AccountAccess {
  const entries = row.entries.map(({ id, cidr, expires_at }) => ({
    id,
    cidr,
    expiresAt: expires_at === null ? null : Date.parse(expires_at),
  }));
  const ranges = entries.flatMap((entry) => {
    const parsed = parseCidr(entry.cidr);
    return parsed === null ? [] : [[parsed.cidr, entry] as const];
  });
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    keysSuspended: row.keys_suspended,
    products: new Set(row.products),
    allowlist: { mode: row.mode, entries, trie: buildPrefixTrie(ranges) },
  };
}

function toKnownKey(row: KeyRow, account: AccountRow, registry: Registry): KnownKey {
  const skew = row.database_now.getTime() - Date.now();
  const known = {
    account: toAccount(account),
    key: {
      id: row.id,
      publicId: row.public_id,
      name: row.name,
      lineage: row.lineage,
      status: row.status,
      permissions: row.permissions,
      approval: row.approval,
      approvalOverMonthly: row.approval_over_monthly,
      expiresAt: row.expires_at,
      endsAt: row.expires_at === null ? Number.POSITIVE_INFINITY : row.expires_at.getTime() - skew,
    },
    owner:
      row.owner_id === null || row.owner_role === null
        ? null
        : { memberId: row.owner_id, role: row.owner_role, suspended: row.owner_status !== 'active' },
    digest: toDigest(row.hash),
  };
  return { ...known, decide: decideOnce(known, registry) };
}

/** Keeps each decision. */
function decideOnce(caller: Parameters<typeof decide>[0], registry: Registry) {
  const decisions: (Decision | undefined)[] = [];
  return (endpoint: Guarded): Decision => {
    const at = registry.indexOf(endpoint);
    const decision = decisions[at] ?? decide(caller, endpoint);
    if (at >= 0) decisions[at] = decision;
    return decision;
  };
}
