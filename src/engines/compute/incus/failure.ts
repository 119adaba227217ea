/** What the engine answers when it does not do as it is asked, and what that means to whoever asked. */
import { EngineRefused, EngineUnreachable } from '../../errors.ts';

/** It answered, and the answer is an error. */
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

/** Of what a machine was to be made from, by its alias. */
export const isWithoutImage = (error: unknown): boolean =>
  says(error, /image not provided|image .*not found/i);
export const isMissing = (error: unknown): boolean =>
  (error instanceof IncusError && error.status === 404) ||
  says(error, /\bnot found\b|doesn't exist/i) ||
  isWithoutImage(error);
export const isTaken = (error: unknown): boolean =>
  (error instanceof IncusError && error.status === 409) ||
  says(error, /already exists|UNIQUE constraint failed/i);
/** Somebody else changed it between our look and our change. */
export const isStale = (error: unknown): boolean => error instanceof IncusError && error.status === 412;
/** A member that was cut off while it made a machine forgot the machine, but not its disk, and lets nobody remove that. */
export const isHaunted = (error: unknown): boolean =>
  says(error, /error inserting volume .*UNIQUE constraint/i);
/** Something else is being done to this machine. */
export const isBusy = (error: unknown): boolean =>
  says(
    error,
    /is busy running|busy running a|already (stopping|starting)|operation .*in progress|matching non-reusable operation/i,
  );
/** Incus waits for a guest that did not heed a request to shut down as long as it runs, and lets nobody change it. */
const isShuttingDown = (error: unknown): boolean => says(error, /busy running an? "?stop/i);
export const isInUse = (error: unknown): boolean => says(error, /(currently|still) in use|is used by/i);
const isOverLimit = (error: unknown): boolean => says(error, /reached maximum (number|aggregate)/i);
export const isFull = (error: unknown): boolean =>
  says(error, /no space left|disk quota exceeded|not enough (free )?space/i);
/** A member of a cluster that is cut off from the others, or all of them until they agree on a new leader. */
export const isLeaderless = (error: unknown): boolean =>
  says(error, /dqlite|no available .*leader|failed to begin transaction|not leader|leadership lost/i);
/** The member that it is on, or is to be on, does not answer the one we asked, whose words for it are those of its parts. */
const isAway = (error: unknown): boolean =>
  says(
    error,
    /missing event connection|server isn't ready yet|connection (refused|reset)|no route to host|i\/o timeout|unable to connect to|unexpected EOF|\b(get|post|put|patch|delete) "https?:/i,
  );
/** Somebody has led them elsewhere, or nobody took them away when they were last in use. */
export const isRoutedAlready = (error: unknown): boolean => says(error, /route add .*file exists/i);
/** The engine itself is in trouble, which passes. */
const isInTrouble = (error: unknown): boolean =>
  error instanceof IncusError &&
  (error.status === 502 ||
    error.status === 503 ||
    isLeaderless(error) ||
    isAway(error) ||
    /database is locked|cluster .*(unavailable|unreachable)|daemon is (starting|shutting)|isn't ready yet|checkpoint in progress/i.test(
      error.message,
    ));

/** Of what may be asked again, whoever asks: it says nothing of what was asked for. */
export const isPassing = (error: unknown): boolean => isInTrouble(error) || isBusy(error) || isStale(error);

/** What the engine says of its own folders and programs is nobody's business but the operator's. */
const withoutPaths = (text: string): string => text.replaceAll(/(?:\/[\w.+:@-]+){2,}/g, '…');

/** As the port has it. `about` is what was asked for, in words a customer may read. */
export function translate(error: unknown, about: string): unknown {
  if (!(error instanceof IncusError)) return error;
  const detail = `${about}: ${withoutPaths(error.message)}`;
  if (isShuttingDown(error))
    return new EngineRefused(
      'invalid_state',
      'The machine was asked to shut down and still runs. Wait until it is off, or stop it by force.',
    );
  if (isRoutedAlready(error))
    return new EngineRefused(
      'engine_failed',
      `${about}: its host already has another route to its addresses, and the provider has to remove that.`,
    );
  if (isInTrouble(error))
    return new EngineUnreachable(`${about}: the engine, or a part of it, does not answer.`, { cause: error });
  if (isPassing(error)) return new EngineUnreachable(detail, { cause: error });
  if (isOverLimit(error)) return new EngineRefused('quota_exceeded', detail);
  if (isFull(error)) return new EngineRefused('capacity_unavailable', `${about}: its storage is full.`);
  if (isInUse(error)) return new EngineRefused('resource_in_use', detail);
  if (isMissing(error)) return new EngineRefused('not_found', detail);
  return new EngineRefused('engine_failed', detail);
}
