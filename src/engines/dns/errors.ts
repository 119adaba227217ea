/** The errors that all drivers share. Customers read the messages; what is wrong at the server is only in the cause. */
import { EngineRefused, EngineUnreachable } from '../errors.ts';

export const noZone = (address: string): EngineRefused =>
  new EngineRefused('not_found', `The nameserver has no zone for ${address}.`);

export const recordRefused = (address: string, cause: unknown): EngineRefused =>
  Object.assign(new EngineRefused('engine_failed', `The nameserver refused the record of ${address}.`), {
    cause,
  });

export const nameserverAway = (cause: unknown): EngineUnreachable =>
  new EngineUnreachable('The nameserver cannot be used at the moment.', { cause });
