/** The errors that all stores share. Customers read the messages, so what is wrong at the store is only in the cause. */
import { EngineRefused, EngineUnreachable } from '../errors.ts';

/** A full store stays full until the provider acts. */
export const storeFull = (): EngineRefused =>
  new EngineRefused('capacity_unavailable', 'The store for backups has no room left.');

export const storeAway = (cause: unknown): EngineUnreachable =>
  new EngineUnreachable('The store for backups cannot be used at the moment.', { cause });
