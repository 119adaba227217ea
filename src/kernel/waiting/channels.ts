/** What can be waited for, and the channels that tell of it. */
import { ACCESS_CHANNEL } from '../access/cache.ts';
import { EVENTS_CHANNEL } from '../events/store.ts';
import { ENDED_CHANNEL } from '../operations/store.ts';
import { newsKey } from './waiters.ts';

export const newsChannels: readonly string[] = [ACCESS_CHANNEL, EVENTS_CHANNEL, ENDED_CHANNEL];

/** Something about who may do what in the account changed. */
export const accessOf = (accountId: string): string => newsKey(ACCESS_CHANNEL, accountId);
/** The feed of the account grew. */
export const eventsOf = (accountId: string): string => newsKey(EVENTS_CHANNEL, accountId);
export const endOf = (operationId: string): string => newsKey(ENDED_CHANNEL, operationId);
