/**
 * Reads the event feed from a given position, with filters. A reader that follows the cursors gets every event
 * exactly once.
 */
import type { Caller } from '../../../kernel/access/caller.ts';
import { sightOf } from '../../../kernel/access/visibility.ts';
import type { Call } from '../../../kernel/call.ts';
import { type Severity, severities } from '../../../kernel/events/event.ts';
import { patternFaults, typesOf } from '../../../kernel/events/patterns.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { eventsOf } from '../../../kernel/waiting/channels.ts';
import type { Holding } from '../../../kernel/waiting/held-read.ts';
import { type FeedFilter, type FeedPage, type Place, readFeed } from './store.ts';

const KEPT_MS = 30 * 86_400_000;

interface EventsQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly since?: string;
  readonly newest_first?: boolean;
  readonly types?: string[];
  readonly family?: string;
  readonly resource_id?: string;
  readonly resource_type?: string;
  readonly severity_min?: Severity;
}

export type FeedCall = Call<unknown, EventsQuery>;

/**
 * A cursor is a position in the whole feed of the account and does not depend on the filters. A reader can
 * therefore change its filters and continue, and can use the same cursor for pages and streams.
 */
const listOf = (call: FeedCall): string => `${call.caller.account.id} listEvents`;

export const cursorAt = (call: FeedCall, sequence: number): string =>
  call.services.cursors.write(listOf(call), [String(sequence)]);

function placeAfter(call: FeedCall, cursor: string): Place {
  const [sequence] = call.services.cursors.read(listOf(call), cursor, 1);
  return { kind: 'after', sequence: Number(sequence) };
}

function placeSince(since: string, now: Date): Place {
  return since === 'now' || Date.parse(since) >= now.getTime()
    ? { kind: 'now' }
    : { kind: 'since', at: new Date(since) };
}

/**
 * `resumeAfter` is the last event id that an earlier stream sent. It overrides the cursor in the URL of the
 * stream.
 */
export function startingPlace(
  call: FeedCall,
  otherwise: 'oldest' | 'now',
  resumeAfter: string | undefined,
): Place {
  const { cursor, since } = call.query;
  const after = resumeAfter ?? cursor;
  if (after !== undefined) return placeAfter(call, after);
  return since === undefined ? { kind: otherwise } : placeSince(since, call.now);
}

/** Checks the rules that the query schema cannot express. */
export function checkQuery({ query, services, now }: FeedCall): void {
  const faults: FieldError[] = patternFaults(services.registry, query.types ?? [], 'query/types');
  const { cursor, since } = query;
  if (cursor !== undefined && since !== undefined) {
    const detail = 'Use either cursor or since, not both.';
    faults.push({ pointer: 'query/since', code: 'mutually_exclusive', detail });
  } else if (since !== undefined && since !== 'now' && Date.parse(since) < now.getTime() - KEPT_MS) {
    const detail =
      'Events are kept 30 days. Use a later time, or leave since out to begin with the oldest event.';
    faults.push({ pointer: 'query/since', code: 'out_of_range', detail });
  }
  if (faults.length > 0) throw invalid(faults);
}

interface Sight {
  readonly visible: readonly string[];
  /** Identifies the caller's view when waiting requests are compared. */
  readonly number: number;
}

let sightsTaken = 0;
const sights = new WeakMap<Caller, Sight>();

/** Cached for as long as the key cache keeps the caller, because every wake-up of a waiting request needs it. */
function seenBy({ caller, services }: FeedCall): Sight {
  const known = sights.get(caller);
  if (known !== undefined) return known;
  const { visible } = sightOf(caller, services.registry.subjects);
  const sight = { visible, number: ++sightsTaken };
  sights.set(caller, sight);
  return sight;
}

function filterOf(call: FeedCall): FeedFilter {
  const { query, caller, services } = call;
  const { types, severity_min = 'info' } = query;
  return {
    types: types === undefined ? null : typesOf(services.registry, types),
    family: query.family ?? null,
    resourceType: query.resource_type ?? null,
    resourceId: query.resource_id ?? null,
    severities: severities.slice(severities.indexOf(severity_min)),
    visible: seenBy(call).visible,
    own:
      caller.key === null
        ? { member: 'member_id', ids: [caller.owner.memberId] }
        : { member: 'api_key_id', ids: caller.key.lineage },
  };
}

function checkPlace(place: Place, { start, oldest, head }: FeedPage): void {
  if (place.kind !== 'after') return;
  if (start > head) {
    throw new Problem('invalid_cursor', {
      detail:
        'The cursor is ahead of the feed: it was issued before the database was restored from a backup.',
    });
  }
  if (start + 1 < oldest) {
    throw new Problem('cursor_expired', {
      detail: `${oldest - start - 1} events after the cursor are no longer kept.`,
    });
  }
}

async function read(call: FeedCall, place: Place, newestFirst: boolean): Promise<FeedPage> {
  const order = { limit: call.query.limit, newestFirst };
  const page = await readFeed(call.db, call.caller.account.id, place, filterOf(call), order);
  // What lies before a cursor may have been removed: then there is nothing left to read, and nothing was missed.
  if (!newestFirst) checkPlace(place, page);
  return page;
}

const placeBehind = ({ position }: FeedPage): Place => ({ kind: 'after', sequence: position });
const showsEvents = ({ rows }: FeedPage): boolean => rows.length > 0;

/** A read that waits (`call.hold`) until the page contains at least one event. */
export function readingFrom(call: FeedCall, place: Place, newestFirst = false): Holding<FeedPage> {
  const { id } = call.caller.account;
  const { cursor: _, since: __, ...rest } = call.query;
  const filters = JSON.stringify(rest);
  return {
    keys: [eventsOf(id)],
    look: (before) =>
      read(call, before === undefined || newestFirst ? place : placeBehind(before), newestFirst),
    isDone: showsEvents,
    question: (before) => `${id} ${before.position} ${filters} ${seenBy(call).number}`,
  };
}
