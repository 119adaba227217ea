/**
 * A read that goes on: opened like any call, then looked after. Every ten seconds, and at once when the account's
 * rights change, its caller is let in again or shown out.
 */
import { nothingDone } from '../call.ts';
import { callerOf, type Exchange, endpointOf } from '../exchange.ts';
import { Problem } from '../problems/problem.ts';
import type { Stream, StreamItem } from '../record.ts';
import type { Services } from '../services.ts';
import { keepSeat, leaveSeat, newSeat, type Seat, takeSeat } from '../streams/store.ts';
import type { Departure } from '../waiting/departure.ts';
import { hold as holdOnce } from '../waiting/holding.ts';
import { readmit } from './admission.ts';
import { callOf, type Hold } from './calling.ts';
import { EVENT_STREAM, readInput } from './input.ts';
import { patienceOf } from './waiting.ts';

const BEAT_MS = 10_000;

export interface OpenStream {
  /** Ends when its reader leaves or the process stops; throws the refusal of a caller that lost its right. */
  readonly items: Stream;
  close(): Promise<void>;
}

/** There is nobody left to stream to. */
class Over extends Error {}

/** The share of a format in an `Accept` header; null where it is not named. */
function shareOf(accept: string, format: string): number | null {
  const part = accept.split(',').find((each) => each.split(';')[0]?.trim().toLowerCase() === format);
  if (part === undefined) return null;
  const share = /;\s*q\s*=\s*([\d.]+)/i.exec(part)?.[1];
  return share === undefined ? 1 : Number(share);
}

export function wantsStream({ endpoint, incoming }: Exchange): boolean {
  const { accept } = incoming.headers;
  if (endpoint?.stream === undefined || incoming.method !== 'GET' || accept === undefined) return false;
  const share = shareOf(accept, EVENT_STREAM) ?? 0;
  return share > 0 && share >= (shareOf(accept, 'application/json') ?? 0);
}

const full = (): Problem => new Problem('stream_limit_reached');

function holdWhile(exchange: Exchange, services: Services, departure: Departure, seat: Seat): Hold {
  let nextBeat = performance.now() + BEAT_MS;
  const beat = async (): Promise<void> => {
    const refused = await readmit(exchange, services);
    if (refused !== undefined) throw refused;
    if (!(await keepSeat(services.db, seat))) throw full();
    nextBeat = performance.now() + BEAT_MS;
  };
  return async <T>(holding: Parameters<typeof holdOnce<T>>[2]): Promise<T> => {
    let last: T | undefined;
    const onwards = { ...holding, look: (before?: T) => holding.look(before ?? last) };
    for (;;) {
      if (performance.now() >= nextBeat) await beat();
      const patience = patienceOf(exchange, services, nextBeat - performance.now(), departure);
      last = await holdOnce(services.waiters, patience, onwards);
      if (departure.hasLeft || services.waiters.isClosed) throw new Over();
      if (holding.isDone(last)) return last;
    }
  };
}

async function* untilOver(stream: Stream): AsyncGenerator<StreamItem> {
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof Over)) throw error;
  }
}

/** Refuses as any call does. What is opened has to be closed. */
export async function openStream(
  exchange: Exchange,
  services: Services,
  departure: Departure,
): Promise<OpenStream> {
  const input = readInput(exchange, undefined);
  const { account, key } = callerOf(exchange);
  const { db } = services;
  const seat = newSeat(account.id, key.id);
  if (!(await takeSeat(db, seat))) throw full();
  const close = (): Promise<void> => leaveSeat(db, seat);
  try {
    const hold = holdWhile(exchange, services, departure, seat);
    const call = callOf(exchange, services, input, { db, done: nothingDone(), hold });
    const sent = exchange.incoming.headers['last-event-id'];
    const resumeAfter = typeof sent === 'string' && sent !== '' ? sent : undefined;
    const stream = await endpointOf(exchange).stream?.(call, resumeAfter);
    if (stream === undefined) throw new Error(`${endpointOf(exchange).id} has no stream.`);
    return { items: untilOver(stream), close };
  } catch (error) {
    await close();
    throw error;
  }
}
