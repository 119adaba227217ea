/** What the stages and handlers work with: made once at start, handed in, never imported as a global. */
import type { Logger } from 'pino';
import type { Turns } from '../pipeline/account-turns.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import type { Db } from '../store/database.ts';
import type { KeyActivity } from './access/activity.ts';
import type { AccessCache } from './access/cache.ts';
import type { AuditQueue } from './audit/queue.ts';
import type { DenialQueue } from './denials/queue.ts';
import type { Metrics } from './metrics.ts';
import type { TrustedProxies } from './net/client-address.ts';
import type { Egress } from './net/egress.ts';
import type { CursorSeal } from './pages/cursor.ts';
import type { RateLimitStore } from './rate-limit/port.ts';
import type { Registry } from './registry.ts';
import type { Seal } from './secrets/seal.ts';
import type { Waiters } from './waiting/waiters.ts';

export interface Services {
  readonly provider: ProviderConfig;
  readonly registry: Registry;
  readonly db: Db;
  readonly access: AccessCache;
  readonly activity: KeyActivity;
  readonly limiter: RateLimitStore;
  readonly trustedProxies: TrustedProxies;
  readonly denials: DenialQueue;
  readonly turns: Turns;
  readonly audit: AuditQueue;
  /** For calls to addresses that customers name. */
  readonly egress: Egress;
  readonly cursors: CursorSeal;
  /** For secrets that have to be used again. */
  readonly secrets: Seal;
  readonly waiters: Waiters;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly baseUrl: string;
  readonly docsUrl: string;
}
