/** Classifies the error replies of the engine and translates them into the errors of the compute port. */
import { EngineRefused, EngineUnreachable } from '../../errors.ts';
import { OvsdbError } from './ovn/ovsdb.ts';

/** The engine answered with an error. */
export class IncusError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.name = 'IncusError';
    this.status = status;
  }
}

const says = (error: unknown, pattern: RegExp): boolean =>
  error instanceof IncusError && pattern.test(error.message);

/** The image alias that a new machine was to be created from does not exist. */
export const isWithoutImage = (error: unknown): boolean =>
  says(error, /image not provided|image .*not found/i);
export const isMissing = (error: unknown): boolean =>
  (error instanceof IncusError && error.status === 404) ||
  says(error, /\bnot found\b|doesn't exist/i) ||
  isWithoutImage(error);
export const isTaken = (error: unknown): boolean =>
  (error instanceof IncusError && error.status === 409) ||
  says(error, /already exists|UNIQUE constraint failed/i);
/** Another process changed the object between our read and our write. */
export const isStale = (error: unknown): boolean => error instanceof IncusError && error.status === 412;
/**
 * A cluster member that was cut off while it created a machine lost the machine's record but kept the record of its
 * disk, and that disk cannot be removed.
 */
export const isHaunted = (error: unknown): boolean =>
  says(error, /error inserting volume .*UNIQUE constraint/i);
/** Another operation is running on this machine. */
export const isBusy = (error: unknown): boolean =>
  says(
    error,
    /is busy running|busy running a|already (stopping|starting)|operation .*in progress|matching non-reusable operation/i,
  );
/**
 * After a guest ignored a shutdown request, Incus keeps waiting as long as the guest runs, and rejects every change
 * of the machine.
 */
export const isShuttingDown = (error: unknown): boolean => says(error, /busy running an? "?stop/i);
export const isInUse = (error: unknown): boolean => says(error, /(currently|still) in use|is used by/i);
const isOverLimit = (error: unknown): boolean => says(error, /reached maximum (number|aggregate)/i);
export const isFull = (error: unknown): boolean =>
  says(error, /no space left|disk quota exceeded|not enough (free )?space/i);
/** Each network of OVN takes an address of the uplink, and none is left. */
const isWithoutUplinkAddress = (error: unknown): boolean => says(error, /allocat\w+ uplink|no free ips/i);
/** The cluster member is cut off from the others, or the members have not elected a new leader yet. */
export const isLeaderless = (error: unknown): boolean =>
  says(error, /dqlite|no available .*leader|failed to begin transaction|not leader|leadership lost/i);
/**
 * The member that runs the machine, or is to run it, does not answer the member that received the request. The
 * messages are those of the engine's internal components.
 */
const isAway = (error: unknown): boolean =>
  says(
    error,
    /missing event connection|peer node .* is down|server isn't ready yet|connection (refused|reset)|no route to host|i\/o timeout|unable to connect to|unexpected EOF|websocket: close|\b(get|post|put|patch|delete) "https?:/i,
  );
/**
 * The host already has a route to these addresses: an operator added it, or it is left over from a machine that used
 * them before.
 */
export const isRoutedAlready = (error: unknown): boolean => says(error, /route add .*file exists/i);
/** The engine itself has a temporary fault. */
const isInTrouble = (error: unknown): boolean =>
  error instanceof IncusError &&
  (error.status === 502 ||
    error.status === 503 ||
    isLeaderless(error) ||
    isAway(error) ||
    /database is locked|cluster .*(unavailable|unreachable)|daemon is (starting|shutting)|isn't ready yet|checkpoint in progress/i.test(
      error.message,
    ));

/** The same request can be retried: the error says nothing about the request itself. */
export const isPassing = (error: unknown): boolean => isInTrouble(error) || isBusy(error) || isStale(error);

/** Paths on the engine's host are for the operator only, so they are removed from what customers read. */
const withoutPaths = (text: string): string => text.replaceAll(/(?:\/[\w.+:@-]+){2,}/g, '…');

/** Translates to the errors of the compute port. `about` says what failed, in words that a customer may read. */
export function translate(error: unknown, about: string): unknown {
  if (error instanceof OvsdbError)
    return new EngineUnreachable(`${about}: the network database of the engine refused a change.`, {
      cause: error,
    });
  if (!(error instanceof IncusError)) return error;
  const detail = `${about}: ${withoutPaths(error.message)}`;
  if (isShuttingDown(error))
    return new EngineRefused(
      'invalid_state',
      'The machine was asked to shut down, but it is still running. Wait until it is off, or stop it by force.',
    );
  if (isRoutedAlready(error))
    return new EngineRefused(
      'engine_failed',
      `${about}: its host already has another route to its addresses. Ask the provider to remove that route.`,
    );
  if (isInTrouble(error))
    return new EngineUnreachable(`${about}: the engine, or one of its servers, does not answer.`, {
      cause: error,
    });
  if (isPassing(error)) return new EngineUnreachable(detail, { cause: error });
  if (isOverLimit(error)) return new EngineRefused('quota_exceeded', detail);
  if (isWithoutUplinkAddress(error))
    return new EngineRefused(
      'capacity_unavailable',
      `${about}: this location has no room for another network.`,
    );
  if (isFull(error)) return new EngineRefused('capacity_unavailable', `${about}: its storage is full.`);
  if (isInUse(error)) return new EngineRefused('resource_in_use', detail);
  if (isMissing(error)) return new EngineRefused('not_found', detail);
  return new EngineRefused('engine_failed', detail);
}
