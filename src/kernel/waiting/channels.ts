/** The keys that calls can wait for, and their notification channels. */
import { ACCESS_CHANNEL } from '../access/cache.ts';
import { EVENTS_CHANNEL } from '../events/store.ts';
import { ENDED_CHANNEL } from '../operations/store.ts';
import { newsKey } from './waiters.ts';

export const newsChannels: readonly string[] = [ACCESS_CHANNEL, EVENTS_CHANNEL, ENDED_CHANNEL];

/** Notified when access rules of the account changed: keys, roles, products, status or allowlist. */
export const accessOf = (accountId: string): string => newsKey(ACCESS_CHANNEL, accountId);
/** Notified when the account has new events. */
export const eventsOf = (accountId: string): string => newsKey(EVENTS_CHANNEL, accountId);
export const endOf = (operationId: string): string => newsKey(ENDED_CHANNEL, operationId);
